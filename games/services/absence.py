"""Absent players in a running game: a bot plays their seat until they say they are back.

Call these under the game's lock, except `come_back`, which takes the lock.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from accounts import clock
from accounts.mail.outbox import queue, queue_each
from games.models import Game, Invitation, Seat, TimeEvent
from games.models.locking import locked_seat, present_people
from games.services.continue_game import continue_game
from games.services.progress import Progress

PLAYED_BY_BOT = Seat.Bot.CAPTAIN


def play_for_absent(game: Game, seat: Seat, ply: int, now: datetime) -> None:
    """Let a bot answer for this seat's player from log entry `ply` on, until they are back.

    The player gets an email on how to come back, and the others get one too.
    """
    seat.played_by_bot = PLAYED_BY_BOT
    seat.save(update_fields=["played_by_bot"])
    event = _note(game, TimeEvent.Kind.STOOD_IN, seat, ply, now)
    context = {"game": game.pk, "event": event.pk}
    queue("stood_in", to=seat.person, key=f"stood_in:{event.pk}", context=context)
    _tell_others(game, seat, event, "seat_away")


@transaction.atomic
def come_back(seat: Seat) -> None:
    """Give the seat back to its player, and withdraw any offer of it to others.

    From now on the site asks the player again. Safe to repeat.

    Raises Refused if someone else has the seat by now, or no game is running.
    """
    game, seat = locked_seat(seat)
    if not seat.played_by_bot:
        return
    now = clock.now()
    seat.played_by_bot, seat.misses = "", 0
    seat.save(update_fields=["played_by_bot", "misses"])
    seat.invitations.filter(state=Invitation.State.SENT).update(state=Invitation.State.WITHDRAWN)
    if not game.is_over:
        event = _note(game, TimeEvent.Kind.BACK, seat, game.ply, now)
        _tell_others(game, seat, event, "seat_back")
        continue_game(game, Progress.of(game), now)


def _note(game: Game, kind: str, seat: Seat, ply: int, now: datetime) -> TimeEvent:
    return TimeEvent.objects.create(game=game, kind=kind, ply=ply, seat=seat.number, at=now)


def _tell_others(game: Game, seat: Seat, event: TimeEvent, kind: str) -> None:
    """Email the other players, except those who are away too."""
    others = present_people(game).exclude(pk=seat.pk)
    people = {f"{kind}:{event.pk}:{other.pk}": other.person for other in others}
    queue_each(kind, people, {"game": game.pk, "event": event.pk})
