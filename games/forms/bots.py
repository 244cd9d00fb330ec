"""Playing with bots: a practice game, and a bot for an open seat."""

from __future__ import annotations

import uuid

from django import forms
from django.utils.translation import gettext_lazy, pgettext_lazy

from games.forms.plain import PlainForm
from games.models import MAX_SEATS, MIN_SEATS, Seat

STRENGTHS = [
    (Seat.Bot.RECRUIT, gettext_lazy("Recruit: plays simply")),
    (Seat.Bot.CAPTAIN, gettext_lazy("Captain: plays well")),
]


class PracticeForm(PlainForm):
    """A game against bots that begins at once."""

    opponents = forms.TypedChoiceField(
        label=pgettext_lazy("form", "Opponents"),
        coerce=int,
        choices=[(n, str(n)) for n in range(MIN_SEATS - 1, MAX_SEATS)],
        initial=2,
    )
    strength = forms.ChoiceField(
        label=pgettext_lazy("of a bot", "Level"),
        choices=STRENGTHS,
        initial=Seat.Bot.RECRUIT,
    )
    form_key = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)


class BotForm(PlainForm):
    """A bot for an open seat. `roster` is how many were seated when the host chose."""

    strength = forms.ChoiceField(label=gettext_lazy("Add a bot"), choices=Seat.Bot.choices)
    roster = forms.IntegerField(min_value=1, max_value=MAX_SEATS, widget=forms.HiddenInput)
