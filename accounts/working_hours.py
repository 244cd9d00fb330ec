"""Working hours: when time counts for a person, and how to describe those hours.

Pure: no row or clock is read. Instants are aware datetimes, in UTC when returned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from zoneinfo import ZoneInfo

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
MIDNIGHT = time(0)
LEAST_OPEN = timedelta(hours=24)  # per week, in any allowed working hours
FARTHEST = timedelta(days=1100)  # limit of every deadline search


class NeverOpen(ValueError):
    """Less than LEAST_OPEN of a week is open, or the time asked for never passes."""


@dataclass(frozen=True)
class Hours:
    """Working hours: an instant counts if the local clock shows an open time.

    Both count if that time comes twice when clocks go back. `quiet` closes every day from the first time to
    the second, over midnight if the second is earlier. `days_off` are weekdays, 0 is Monday. `holidays` are
    pairs of a first and a last day, both closed. Raises NeverOpen if less than LEAST_OPEN of a week is left.
    """

    zone: ZoneInfo
    quiet: tuple[time, time] | None = None
    days_off: frozenset[int] = frozenset()
    holidays: tuple[tuple[date, date], ...] = ()

    def __post_init__(self) -> None:
        if (7 - len(self.days_off)) * self.open_in_a_day < LEAST_OPEN:
            raise NeverOpen("less than 24 hours of the week are open")

    @property
    def are_always_open(self) -> bool:
        return self.quiet is None and not self.days_off and not self.holidays

    @property
    def open_in_a_day(self) -> timedelta:
        """How much of a day without a clock change is outside the quiet hours."""
        return sum((last - first for first, last in self.open_parts_of_a_day), timedelta(0))

    @cached_property
    def open_parts_of_a_day(self) -> tuple[tuple[timedelta, timedelta], ...]:
        """Parts of any day outside the quiet hours, in order, as local times since midnight."""
        if self.quiet is None or self.quiet[0] == self.quiet[1]:
            return ((timedelta(0), DAY),)
        first, last = (_since_midnight(at) for at in self.quiet)
        return ((last, first),) if last < first else ((timedelta(0), first), (last, DAY))

    def is_off(self, day: date) -> bool:
        """Return whether this whole day is closed, as a weekly day off or a holiday."""
        return day.weekday() in self.days_off or any(first <= day <= last for first, last in self.holidays)


def open_time(hours: Hours, start: datetime, end: datetime) -> timedelta:
    """Return the open time between two instants; zero if the end is not after the start."""
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    if end <= start:
        return timedelta(0)
    if hours.are_always_open:
        return end - start
    return sum((closes - opens for opens, closes in open_spans(hours, start, end)), timedelta(0))


def moment_after(hours: Hours, start: datetime, allowance: timedelta) -> datetime:
    """Return the first instant by which this much open time has passed since the start.

    Returns the start for a zero or negative allowance. Raises NeverOpen if it is not within FARTHEST.
    """
    start = start.astimezone(UTC)
    if allowance <= timedelta(0):
        return start
    if hours.are_always_open and allowance <= FARTHEST:
        return start + allowance
    for opens, closes in open_spans(hours, start):
        if closes - opens >= allowance:
            return opens + allowance
        allowance -= closes - opens
    raise NeverOpen("these hours are closed for years")


def open_spans(
    hours: Hours, start: datetime, end: datetime | None = None
) -> Iterator[tuple[datetime, datetime]]:
    """Yield the spans of open time from the start to the end, or to FARTHEST, in order.

    A span may begin where the one before ended.
    """
    start = start.astimezone(UTC)
    end = start + FARTHEST if end is None else end.astimezone(UTC)
    while start < end:
        wall, until = _steady_part_of_day(hours.zone, start)
        midnight = datetime.combine(wall, MIDNIGHT)
        for first, last in () if hours.is_off(wall.date()) else hours.open_parts_of_a_day:
            opens = max(start, start + (midnight + first - wall))
            closes = min(until, end, start + (midnight + last - wall))
            if opens < closes:
                yield opens, closes
        start = until


def _since_midnight(at: time) -> timedelta:
    """Return a local time as the time since midnight."""
    return datetime.combine(date.min, at) - datetime.combine(date.min, MIDNIGHT)


def _steady_part_of_day(zone: ZoneInfo, start: datetime) -> tuple[datetime, datetime]:
    """Return the local time at this instant, and the instant until which it runs evenly in the same day.

    That is midnight, or the moment at which the zone's clocks change.
    """
    local = start.astimezone(zone)
    wall = local.replace(tzinfo=None)
    end = start + (datetime.combine(wall + DAY, MIDNIGHT) - wall)
    if end.astimezone(zone).utcoffset() != local.utcoffset():
        end = _change_between(zone, start.replace(microsecond=0), end)
    return wall, end


def _change_between(zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """Return the first instant, to the second, with another UTC offset than `before`."""
    offset = before.astimezone(zone).utcoffset()
    while after - before > SECOND:
        middle = before + (after - before) // (2 * SECOND) * SECOND
        if middle.astimezone(zone).utcoffset() == offset:
            before = middle
        else:
            after = middle
    return after
