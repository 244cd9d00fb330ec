"""Outages of the service: their time does not count for anyone, and the players see it.

An outage shows as a gap between two ticks of the clock, or an operator reports it. It is recorded in a short
transaction, and its time is given back game by game. A game whose time is needed sooner gets it first
(countdown_changes.py). Time given back once is not given back again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q

from accounts.full_disk import raise_if_full
from accounts.mail.outbox import clock_was_put_back
from accounts.row_locks import free
from games.clocks.countdown_changes import change_countdowns, give_outages_back
from games.clocks.due import never
from games.models import Game, GameQuerySet, Heartbeat, Outage, Seat, SeatQuerySet
from games.models.locking import locked_game

logger = logging.getLogger(__name__)

OUTAGE = timedelta(minutes=5)  # a longer gap between two ticks means that the service was down
BATCH = 100


@transaction.atomic
def beat_heart(now: datetime) -> None:
    """Record that the clock ticks, and record an outage if the last tick was long ago.

    Every tick does this before the pass over all games, so a slow pass is no outage. It waits for another
    node's tick, which may be recording an outage: no deadline is enforced before that is known.
    """
    if not Heartbeat.objects.exists():
        Heartbeat.objects.get_or_create(pk=1, defaults={"at": now})  # two first ticks make one row
    heart = Heartbeat.objects.select_for_update().earliest("pk")
    gap = now - heart.at
    if -OUTAGE <= gap <= timedelta(0):
        return  # two machines' clocks never quite agree
    heart.at, before = now, heart.at
    heart.save(update_fields=["at"])
    if gap > OUTAGE:
        Outage.objects.create(start=before, end=now)
    elif gap < -OUTAGE:
        Outage.objects.open().filter(end__gt=now).update(given_up_to=None)  # it never happened
        clock_was_put_back(-gap, now)


@transaction.atomic
def site_was_restored(recorded: datetime | None, now: datetime) -> datetime:
    """Record that the site was down from the last tick in its backup until now; return the last tick.

    Nothing is recorded if that tick is the one that an earlier restore `recorded`.
    """
    heart, is_new = Heartbeat.objects.select_for_update().get_or_create(pk=1, defaults={"at": now})
    if is_new or heart.at == recorded:
        return heart.at
    if heart.at < now:
        Outage.objects.create(start=heart.at, end=now)
        heart.at = now
        heart.save(update_fields=["at"])
    else:
        beat_heart(now)  # the backup is from a machine whose clock was ahead
    return Heartbeat.objects.earliest("pk").at


def set_clocks_right(now: datetime, is_over: Callable[[], bool] = never) -> None:
    """Give the time of outages back to all games, and end waits caused by a wrong system clock.

    Such waits are for a moment that a clock showed before it was put back. When `is_over` returns True, the
    rest is left to the next tick.
    """
    for outage in Outage.objects.open():
        _give_back(outage, now, is_over)
    _run_for_each(_counted_ahead(now), lambda game: _count_again_from(game, now), is_over)


def credit_outage(start: datetime, end: datetime, now: datetime) -> int:
    """Record an outage reported by an operator, give its time back, and return how many games it affects."""
    outage = Outage.objects.create(start=start, end=end)
    games = _to_give(outage).count()
    _give_back(outage, now, never)
    return games


def _give_back(outage: Outage, now: datetime, is_over: Callable[[], bool]) -> None:
    """Give this outage's time back, continuing after the last game that received it."""
    given = _run_for_each(
        _to_give(outage), lambda game: give_outages_back(game, now), is_over, after=outage.given_up_to or 0
    )
    Outage.objects.filter(pk=outage.pk).update(given_up_to=given)


def _to_give(outage: Outage) -> GameQuerySet:
    return _with_clocks(Seat.objects.filter(counted_from__lt=outage.end))


def _counted_ahead(now: datetime) -> GameQuerySet:
    """Return games that wait for a moment far ahead, though no pause lasts until then."""
    until = F("table__games__paused_until")
    no_pause = Q(table__games__paused_until=None) | Q(counted_from__gt=until)
    return _with_clocks(Seat.objects.filter(no_pause, counted_from__gt=now + OUTAGE))


def _with_clocks(seats: SeatQuerySet) -> GameQuerySet:
    """Return the running games among those of these seats whose clocks run."""
    counted = seats.filter(due_at__isnull=False, table__games__ended_at=None)
    return Game.objects.filter(pk__in=counted.values("table__games"))


def _run_for_each(
    games: GameQuerySet, action: Callable[[Game], object], is_over: Callable[[], bool], after: int = 0
) -> int | None:
    """Call `action` for each game by number, each in its own transaction, with the game locked.

    Games that another process holds come after the others of their batch. None is left out, because the
    outage then counts as given back. Returns the number of the last game up to which all are done if it had
    to stop early, or None when all is done.
    """
    while batch := list(games.filter(pk__gt=after).order_by("pk")[:BATCH]):
        held = list[Game]()
        for game in batch:
            if is_over():
                return held[0].pk - 1 if held else after
            if not _change_or_log(game, action):
                held.append(game)
            after = game.pk
        for game in held:
            _change_or_log(game, action, waits=True)
    return None


def _change_or_log(game: Game, action: Callable[[Game], object], *, waits: bool = False) -> bool:
    """Process one game; return False if another process holds it, unless this one waits for it.

    Failures are logged, so that one broken game stops no other.
    """
    try:
        with transaction.atomic():
            rows = Game.objects.filter(pk=game.pk).select_related("table")
            locked = locked_game(game.pk) if waits else free(rows).first()
            if locked is not None:
                action(locked)
    except Exception as error:  # any one game's rows
        raise_if_full(error)
        logger.exception("the clocks of game %s could not be set right", game.pk)
        return True
    return locked is not None


def _count_again_from(game: Game, now: datetime) -> bool:
    begins = max(now, game.paused_until or now)
    return change_countdowns(
        game,
        now,
        lambda countdown, _calendars: countdown.resting_until(begins),
        of=lambda seat: seat.counted_from is not None and seat.counted_from > begins,
    )
