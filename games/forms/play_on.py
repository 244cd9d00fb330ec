"""Playing on against bots from a position of a finished game."""

from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.utils.translation import pgettext_lazy

from games.forms.bots import strengths
from games.forms.plain import PlainForm
from games.models import Seat
from games.presenters.reading import Reading


class PlayOnForm(PlainForm):
    """As whom to play on from a position of this reading, and against which bots."""

    seat = forms.TypedChoiceField(label=pgettext_lazy("form", "Play as"), coerce=int)
    strength = forms.ChoiceField(
        label=pgettext_lazy("of bots", "Level of the bots"), choices=strengths, initial=Seat.Bot.CAPTAIN
    )
    form_key = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)

    def __init__(self, reading: Reading, *args: Any, seat: int | None = None, **kwargs: Any) -> None:
        """Offer the seats that take part, first `seat`, then the reader's own."""
        super().__init__(*args, **kwargs)
        seats, fighters = self.fields["seat"], reading.game.fighters
        assert isinstance(seats, forms.TypedChoiceField)
        seats.choices = [(number, reading.names[number]) for number in fighters]
        wanted = (seat, reading.seat)
        self.initial.setdefault("seat", next((one for one in wanted if one in fighters), fighters[0]))
