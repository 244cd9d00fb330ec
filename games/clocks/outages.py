"""The service was down: nobody's time is counted for as long as it was, and the table is told.

A gap between two ticks of the clock shows it, or an operator says it. An outage is recorded in a short
transaction; its time is given back game by game, and first of all where a game's time is counted meanwhile
(timing.py). Time given back once is not given back again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q

from accounts.mail.outbox import clock_was_put_back
from games.clocks.due import never
from games.clocks.pauses import change_countdowns, give_outages_back
from games.models import Game, GameQuerySet, Heartbeat, Outage, Seat, SeatQuerySet
from games.models.locking import locked_game

logger = logging.getLogger(__name__)

OUTAGE = timedelta(minutes=5)  # a longer gap between two ticks means that the service was down
BATCH = 100


@transaction.atomic
def beat_heart(now: datetime) -> None:
    """Note that the clock ticks, and record an outage if it last did so long ago.

    Every tick does so, however long a pass over all games takes: a slow pass is no outage.
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
        Outage.objects.create(start=before, end=now)
    elif gap < -OUTAGE:
        Outage.objects.open().filter(end__gt=now).update(given_up_to=None)  # it never was
        clock_was_put_back(-gap, now)


def set_clocks_right(now: datetime, is_over: Callable[[], bool] = never) -> None:
    """Give all games the time of outages back, and end waits for a moment that a clock showed which was put
    back since. What is left when `is_over` is the next tick's."""
    for outage in Outage.objects.open():
        _give_back(outage, now, is_over)
    _each(_counted_ahead(now), lambda game: _count_from(game, now), is_over)


def credit_outage(start: datetime, end: datetime, now: datetime) -> int:
    """An operator says that people could not play in this span, which is over; how many games it concerns."""
    outage = Outage.objects.create(start=start, end=end)
    games = _to_give(outage).count()
    _give_back(outage, now, never)
    return games


def _give_back(outage: Outage, now: datetime, is_over: Callable[[], bool]) -> None:
    """Give this time back, on from the last game that was given it."""
    given = _each(
        _to_give(outage), lambda game: give_outages_back(game, now), is_over, after=outage.given_up_to or 0
    )
    Outage.objects.filter(pk=outage.pk).update(given_up_to=given)


def _to_give(outage: Outage) -> GameQuerySet:
    return _with_clocks(Seat.objects.filter(counted_from__lt=outage.end))


def _counted_ahead(now: datetime) -> GameQuerySet:
    """Games that wait for a moment that is far ahead, though no pause lasts until then."""
    until = F("table__games__paused_until")
    no_pause = Q(table__games__paused_until=None) | Q(counted_from__gt=until)
    return _with_clocks(Seat.objects.filter(no_pause, counted_from__gt=now + OUTAGE))


def _with_clocks(seats: SeatQuerySet) -> GameQuerySet:
    """The running games of those of these seats whose time is counted."""
    counted = seats.filter(due_at__isnull=False, table__games__ended_at=None)
    return Game.objects.filter(pk__in=counted.values("table__games"))


def _each(
    games: GameQuerySet, deed: Callable[[Game], object], is_over: Callable[[], bool], after: int = 0
) -> int | None:
    """Do it to game after game by number, each in a transaction of its own, with the game held.

    Returns the last game's number where it had to end with more to do; None when all is done.
    """
    while batch := games.filter(pk__gt=after).order_by("pk")[:BATCH]:
        for game in batch:
            if is_over():
                return after
            _done_or_logged(game, deed)
            after = game.pk
    return None


def _done_or_logged(game: Game, deed: Callable[[Game], object]) -> None:
    """One game whose clocks cannot be told stops no other's."""
    try:
        with transaction.atomic():
            deed(locked_game(game))
    except Exception:  # any one game's rows
        logger.exception("the clocks of game %s could not be set right", game.pk)


def _count_from(game: Game, now: datetime) -> bool:
    begins = max(now, game.paused_until or now)
    return change_countdowns(
        game,
        now,
        lambda countdown, _calendars: countdown.resting_until(begins),
        of=lambda seat: seat.counted_from is not None and seat.counted_from > begins,
    )
