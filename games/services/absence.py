"""People who stay away from a running game: a bot plays in their seat until they say that they are back.

Called under the game's lock, but for `come_back`, which takes it.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from accounts import clock
from accounts.mail.outbox import queue
from games.models import Game, Invitation, Seat, TimeEvent
from games.models.locking import locked_seat, present_people
from games.models.replay import replayed
from games.services.moves import Progress, append_entries

PLAYED_BY_BOT = Seat.Bot.CAPTAIN


def play_for_absent(game: Game, seat: Seat, ply: int, now: datetime) -> None:
    """From log entry `ply` on a bot answers for this seat's player, until he is back. He is told how to say
    so, and the others are told as well."""
    seat.played_by_bot = PLAYED_BY_BOT
    seat.save(update_fields=["played_by_bot"])
    event = _note(game, TimeEvent.Kind.STOOD_IN, seat, ply, now)
    about = {"game": game.pk, "event": event.pk}
    queue("stood_in", to=seat.person, key=f"stood_in:{event.pk}", about=about)
    _tell_others(game, seat, event, "seat_away")


@transaction.atomic
def come_back(seat: Seat) -> None:
    """This player plays himself again; what is asked of his seat from now on is asked of him, and the seat is
    offered to nobody any more. Twice is once.

    Raises Refused when the seat is another's by now, or nothing is played.
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
        append_entries(game, Progress(replayed(game).state), now)


def _note(game: Game, kind: str, seat: Seat, ply: int, now: datetime) -> TimeEvent:
    return TimeEvent.objects.create(game=game, kind=kind, ply=ply, seat=seat.number, at=now)


def _tell_others(game: Game, seat: Seat, event: TimeEvent, kind: str) -> None:
    """Who is away himself need not hear of it."""
    for other in present_people(game).exclude(pk=seat.pk):
        about = {"game": game.pk, "event": event.pk}
        queue(kind, to=other.person, key=f"{kind}:{event.pk}:{other.pk}", about=about)
