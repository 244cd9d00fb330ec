"""A person's calendar was changed: the countdowns that go by it are told from now on, never backwards."""

from __future__ import annotations

from datetime import datetime

from accounts.hours import Hours
from accounts.models import User
from games.clock import PACES
from games.commands.locking import locked_game
from games.commands.timing import change_countdowns
from games.countdowns import HIDDEN, settled
from games.models import Game


def hours_changed(user: User, hours_before: Hours, now: datetime) -> None:
    """Settle this person's open countdowns by his hours before, and let them go on by his hours now.

    Called in the transaction that changed them, with the person locked. A secret question goes by the hours
    of all who are there, whoever is asked (R17).
    """
    running = Game.objects.running().of(user).filter(table__pace__in=PACES)
    for found in running.order_by("pk"):
        game = locked_game(found)
        change_countdowns(
            game,
            now,
            lambda countdown, calendars: settled(countdown, calendars, now),
            of=lambda seat: seat.user_id == user.pk or seat.asked_kind == HIDDEN,
            before={user.pk: hours_before},
        )
