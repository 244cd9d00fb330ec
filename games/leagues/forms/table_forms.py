"""Forms for organisers' decisions about tables and their seats, and for messages to players."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy, pgettext_lazy

from games.clocks.pauses import HOURS_OF_MORE_TIME
from games.leagues.forms.league_fields import ChoiceForm, ReasonForm, WordsField
from games.leagues.models import Season
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.table_deadlines import MOST_DAYS


class ExtendForm(ReasonForm):
    """The form to extend a table."""

    field_order = ("days", "hours", "reason")
    days = forms.IntegerField(
        label=gettext_lazy("Extra days"),
        min_value=1,
        max_value=MOST_DAYS,
        initial=7,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    hours = forms.IntegerField(
        label=gettext_lazy("More hours for players whose turn it is now"),
        help_text=gettext_lazy("Leave it empty to leave their deadlines as they are."),
        min_value=HOURS_OF_MORE_TIME[0],
        max_value=HOURS_OF_MORE_TIME[-1],
        required=False,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )


class ReplaceForm(ReasonForm):
    """The form to give a player's seat to someone else."""

    field_order = ("seat", "user", "reason")
    seat = forms.TypedChoiceField(
        label=gettext_lazy("Player to replace"), coerce=int, widget=forms.RadioSelect
    )
    user = forms.TypedChoiceField(label=gettext_lazy("New player"), coerce=int)


class OrganiserMessageForm(ChoiceForm):
    """A message from an organiser to a table, a division or everyone."""

    to = forms.ChoiceField(label=pgettext_lazy("form", "To"))
    text = WordsField(
        stored_as=cleaned_reason,
        label=pgettext_lazy("form", "Message"),
        help_text=gettext_lazy("With your name. The league’s log shows it to the league’s members."),
        widget=forms.Textarea(attrs={"rows": 6}),
    )


class AdjudicateForm(ReasonForm):
    """The form to end a table early and choose how it counts."""

    field_order = ("result", "reason")
    result = forms.ChoiceField(
        label=pgettext_lazy("form", "Result"),
        choices=[
            (
                Season.Late.REGIONS,
                gettext_lazy("The players with most regions win. If no one holds a region, no one wins."),
            ),
            (Season.Late.NOBODY, gettext_lazy("No one wins.")),
        ],
        initial=Season.Late.REGIONS,
        widget=forms.RadioSelect,
    )


class SubstituteForm(ReasonForm):
    """The form to give a seat to one of the substitutes or to the organiser."""

    field_order = ("user", "reason")
    user = forms.TypedChoiceField(
        label=pgettext_lazy("form", "Substitute"), coerce=int, widget=forms.RadioSelect
    )
