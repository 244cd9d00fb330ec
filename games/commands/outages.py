"""The service was down: nobody's time is counted for as long as it was, and the table is told.

A gap between two ticks of the clock shows it, or an operator says it. Time given back once is not given back
again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.db import transaction

from accounts.post.outbox import clock_was_put_back
from games.commands.locking import locked_game
from games.commands.timing import change_countdowns
from games.countdowns import without
from games.models import Game, Heartbeat, Outage, TimeEvent

logger = logging.getLogger(__name__)

OUTAGE = timedelta(minutes=5)  # a longer gap between two ticks means that the service was down


@transaction.atomic
def beat_heart(now: datetime) -> None:
    """Note that the clock ticks; give back the time since it last did, if that is long ago.

    A machine's clock that was put back makes nothing earlier: what was to be counted from a moment that now
    lies ahead is counted from now, and letters wait no longer for it.
    """
    if not Heartbeat.objects.exists():
        Heartbeat.objects.get_or_create(pk=1, defaults={"at": now})  # two first ticks make one row
    heart = Heartbeat.objects.select_for_update().earliest("pk")
    gap = now - heart.at
    if -OUTAGE <= gap <= timedelta(0):
        return  # two machines' clocks are never quite the same
    heart.at, before = now, heart.at
    heart.save(update_fields=["at"])
    if gap > OUTAGE:
        _credit(before, now, now)
    elif gap < -OUTAGE:
        _for_each(_with_clocks(), lambda game: _count_from(game, now))
        clock_was_put_back(-gap, now)  # games are locked before letters, as everywhere


@transaction.atomic
def credit_outage(start: datetime, end: datetime, now: datetime) -> int:
    """An operator says that people could not play in this span, which is over; how many games it concerns."""
    return _credit(start, end, now)


def _credit(start: datetime, end: datetime, now: datetime) -> int:
    Outage.objects.create(start=start, end=end)
    return _for_each(_with_clocks(), lambda game: _give_back(game, start, end, now))


def _with_clocks() -> list[Game]:
    asked = Game.objects.running().filter(table__seats__due_at__isnull=False)
    return list(asked.distinct().order_by("pk"))


def _for_each(games: Iterable[Game], deed: Callable[[Game], bool]) -> int:
    """One game whose clocks cannot be told stops no other's."""
    return sum(_done_or_logged(game, deed) for game in games)


def _done_or_logged(game: Game, deed: Callable[[Game], bool]) -> bool:
    try:
        with transaction.atomic():
            return deed(locked_game(game))
    except Exception:  # any one game's rows
        logger.exception("the clocks of game %s could not be given time back", game.pk)
        return False


def _give_back(game: Game, start: datetime, end: datetime, now: datetime) -> bool:
    """Where the clocks rest for longer, or have been given this time already, nothing is done."""
    given = change_countdowns(
        game,
        now,
        lambda countdown, calendars: without(countdown, calendars, start, end),
        of=lambda seat: seat.counted_from is not None and seat.counted_from < end,
    )
    if given:
        TimeEvent.objects.create(
            game=game, kind=TimeEvent.Kind.CREDITED, ply=game.ply, amount=end - start, at=now
        )
    return given


def _count_from(game: Game, now: datetime) -> bool:
    begins = max(now, game.paused_until or now)
    return change_countdowns(
        game,
        now,
        lambda countdown, _calendars: countdown.resting_until(begins),
        of=lambda seat: seat.counted_from is not None and seat.counted_from > begins,
    )
