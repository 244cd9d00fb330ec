"""The form to remind people who have not answered."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

from games.forms.plain import PlainForm
from games.leagues.services.league_texts import LONGEST_REASON


class ChaseForm(PlainForm):
    """An organiser's own words for the reminder, if they like."""

    words = forms.CharField(
        label=gettext_lazy("Your own words"),
        help_text=gettext_lazy("If you like. The league’s log shows them to the league’s members."),
        required=False,
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
