"""Forms to tell the organisers something, and to answer."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy, pgettext_lazy

from games.forms.plain import PlainForm
from games.leagues.forms.league_fields import ChoiceForm, WordsField
from games.leagues.models import Concern
from games.leagues.services.league_texts import cleaned_reason


class ConcernForm(ChoiceForm):
    """What a player tells the organisers about a table or the season."""

    where = forms.ChoiceField(label=pgettext_lazy("form", "About"))
    about = forms.ChoiceField(
        label=gettext_lazy("What is it about?"), choices=Concern.About.choices, widget=forms.RadioSelect
    )
    text = WordsField(
        stored_as=cleaned_reason,
        label=pgettext_lazy("form", "Message"),
        help_text=gettext_lazy("Only you and the organisers who decide read it."),
        widget=forms.Textarea(attrs={"rows": 5}),
    )


class AnswerForm(PlainForm):
    """What an organiser did about it, and the answer to the player who told them."""

    outcome = forms.ChoiceField(
        label=gettext_lazy("What did you do?"),
        help_text=gettext_lazy("The league’s log shows this, without names."),
        choices=Concern.Outcome.choices,
        widget=forms.RadioSelect,
    )
    answer = WordsField(
        stored_as=cleaned_reason,
        label=pgettext_lazy("form", "Answer"),
        help_text=gettext_lazy("Only the player who wrote to you reads it."),
        widget=forms.Textarea(attrs={"rows": 4}),
    )
