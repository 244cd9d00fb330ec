"""A decision's deadline with what explains it, for its player and the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from accounts.working_hours import DAY, Hours, open_time
from games.clocks.countdowns import countdown_of
from games.clocks.counted_hours import HIDDEN, hours_of
from games.clocks.running_clocks import is_paused
from games.models import Game, Seat, Table


@dataclass(frozen=True)
class Deadline:
    """A decision's deadline and what explains it: open time, its start, and the time that does not count."""

    seat: int
    due_at: datetime
    counted_from: datetime
    time_left: timedelta  # the decision's own time at counted_from
    reserve: timedelta  # at counted_from; shown only to the player who is asked
    own_time_ends_at: datetime  # when the reserve begins
    open_left: timedelta  # open time from now on, including the reserve
    paused_until: datetime | None  # in the future, or None
    hours: Hours  # those that count for the player
    quiet: tuple[time, time] | None  # within counted_from and due_at
    days_off: tuple[int, ...]  # 0 is Monday
    holidays: tuple[tuple[date, date], ...]
    is_secret: bool  # R17: shown only to the player; waits for everyone's hours

    @property
    def total(self) -> timedelta:
        """All open time counted from `counted_from` on."""
        return self.time_left + self.reserve

    def move_by(self, now: datetime) -> datetime:
        """Return the deadline to name: when the move's own time ends; then, when the reserve does."""
        return nearest_end(self.own_time_ends_at, self.due_at, now)

    def uses_reserve(self, now: datetime) -> bool:
        """Return whether the decision's own time is used up."""
        return self.own_time_ends_at <= now < self.due_at


def nearest_end(own_time_ends_at: datetime, due_at: datetime, now: datetime) -> datetime:
    """Return the end of a move's own time while that is ahead, and after it the end of the reserve."""
    return own_time_ends_at if now < own_time_ends_at < due_at else due_at


def deadline_of(seat: Seat, table: Table, game: Game, now: datetime) -> Deadline | None:
    """Return the deadline of the seat's pending decision, or None if no clock runs for it.

    The deadline of a secret decision may be shown only to the player who is asked: see `is_secret`.
    """
    countdown = countdown_of(seat)
    if countdown is None or seat.due_at is None:
        return None
    hours = hours_of(seat.person, table, game)
    start, end = countdown.counted_from, seat.due_at
    is_secret = seat.pending_decision == HIDDEN
    return Deadline(
        seat=seat.number,
        due_at=end,
        counted_from=start,
        time_left=countdown.time_left,
        reserve=countdown.reserve,
        own_time_ends_at=end if is_secret else countdown.own_time_ends_at(hours),
        open_left=open_time(hours, max(now, start), end),
        paused_until=game.paused_until if is_paused(game, now) else None,
        hours=hours,
        quiet=hours.quiet if _quiet_matters(hours, start, end) else None,
        days_off=_days_off_between(hours, start, end),
        holidays=_holidays_between(hours, start, end),
        is_secret=is_secret,
    )


def _quiet_matters(hours: Hours, start: datetime, end: datetime) -> bool:
    awake = replace(hours, quiet=None)
    return open_time(awake, start, end) != open_time(hours, start, end)


def _days_off_between(hours: Hours, start: datetime, end: datetime) -> tuple[int, ...]:
    first, last = (moment.astimezone(hours.zone).date() for moment in (start, end))
    days = {(first + DAY * number).weekday() for number in range(min(7, (last - first).days + 1))}
    return tuple(sorted(hours.days_off & days))


def _holidays_between(hours: Hours, start: datetime, end: datetime) -> tuple[tuple[date, date], ...]:
    first, last = (moment.astimezone(hours.zone).date() for moment in (start, end))
    return tuple(pair for pair in hours.holidays if pair[0] <= last and pair[1] >= first)
