"""Puts the letters about questions into the outbox, as often as the asked person wants letters."""

from __future__ import annotations

from django.conf import settings

from accounts.post.outbox import queue
from games.models import Game, Seat


def tell_asked(game: Game, seat: Seat, asked_at: int) -> None:
    """Queue the letter about this seat's open question, once however often this is called."""
    if seat.user is None or seat.stand_in:
        return  # a guest plays on the page, and a bot is playing for who stays away
    queue(
        "your_turn",
        to=seat.user,
        key=f"your_turn:{game.pk}:{seat.number}:{asked_at}:{seat.user_id}",  # a seat can change hands (R49)
        about={"game": game.pk, "seat": seat.number, "asked_at": asked_at},
        hold=settings.LETTER_HOLD,
    )
