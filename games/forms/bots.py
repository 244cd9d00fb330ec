"""Playing with bots: a practice game, and a bot for an open seat."""

from __future__ import annotations

import uuid

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy, pgettext_lazy

from games.forms.plain import PlainForm
from games.models import MAX_SEATS, MIN_SEATS, Seat

STRENGTHS = [
    (Seat.Bot.RECRUIT, gettext_lazy("Recruit: plays simply")),
    (Seat.Bot.CAPTAIN, gettext_lazy("Captain: plays well")),
    (Seat.Bot.STRATEGIST, gettext_lazy("Strategist: looks ahead, and takes a moment")),
]


def strengths() -> list[tuple[str, str]]:
    """Return the bots to choose from, with a sentence on each; Strategist unless it's switched off."""
    is_off = not settings.STRATEGIST
    return [(bot, str(said)) for bot, said in STRENGTHS if not (is_off and bot == Seat.Bot.STRATEGIST)]


def _bots() -> list[tuple[str, str]]:
    """Return the bots to choose from, with their names alone."""
    return [(bot, str(Seat.Bot(bot).label)) for bot, _sentence in strengths()]


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
        choices=strengths,
        initial=Seat.Bot.RECRUIT,
    )
    form_key = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)


class BotForm(PlainForm):
    """A bot for an open seat. `roster` is how many were seated when the host chose."""

    strength = forms.ChoiceField(label=gettext_lazy("Add a bot"), choices=_bots)
    roster = forms.IntegerField(min_value=1, max_value=MAX_SEATS, widget=forms.HiddenInput)
