"""A person's open hours: when, by his own clock, time that is counted for him runs.

Pure: no row is read, no machine is asked what time it is. Instants are aware datetimes, in UTC when returned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

DAY = timedelta(days=1)
MIDNIGHT = time(0)
LEAST_OPEN = timedelta(hours=12)  # of a week, in hours that anybody may choose
FARTHEST = timedelta(days=1100)  # no deadline is looked for beyond this


class NeverOpen(ValueError):
    """Too little of a week is open, or so much is closed that the time asked for never passes."""


@dataclass(frozen=True)
class Hours:
    """What of a person's week and year counts. `quiet` closes every day from the first time to the second,
    over midnight if the second is earlier; `days_off` are weekdays, 0 is Monday; `holidays` are pairs of a
    first and a last day, both closed. Raises NeverOpen when less than LEAST_OPEN of a week is left."""

    zone: ZoneInfo
    quiet: tuple[time, time] | None = None
    days_off: frozenset[int] = frozenset()
    holidays: tuple[tuple[date, date], ...] = ()

    def __post_init__(self) -> None:
        if (7 - len(self.days_off)) * self.open_in_a_day < LEAST_OPEN:
            raise NeverOpen("less than twelve hours of the week are open")

    @property
    def are_always_open(self) -> bool:
        return self.quiet is None and not self.days_off and not self.holidays

    @property
    def open_in_a_day(self) -> timedelta:
        """How much of a day on which the clocks do not change is outside the quiet hours."""
        if self.quiet is None:
            return DAY
        first, last = (timedelta(hours=at.hour, minutes=at.minute, seconds=at.second) for at in self.quiet)
        return DAY - (last - first) % DAY

    def is_off(self, day: date) -> bool:
        """Whether the whole of this day is closed, as a day off of the week or a holiday."""
        return day.weekday() in self.days_off or any(first <= day <= last for first, last in self.holidays)


def open_time(hours: Hours, start: datetime, end: datetime) -> timedelta:
    """How much open time lies between two instants; none where the end is not after the start."""
    if end <= start:
        return timedelta(0)
    if hours.are_always_open:
        return end - start
    total = timedelta(0)
    for opens, closes in open_spans(hours, start):
        if opens >= end:
            break
        total += min(closes, end) - opens
    return total


def moment_after(hours: Hours, start: datetime, allowance: timedelta) -> datetime:
    """The first instant by which so much open time has passed since the start; the start for none.

    Raises NeverOpen if that does not come within FARTHEST.
    """
    start = start.astimezone(UTC)
    if allowance <= timedelta(0):
        return start
    if hours.are_always_open:
        return start + allowance
    for opens, closes in open_spans(hours, start):
        if closes - opens >= allowance:
            return opens + allowance
        allowance -= closes - opens
    raise NeverOpen("these hours are closed for years")


def open_spans(hours: Hours, start: datetime) -> Iterator[tuple[datetime, datetime]]:
    """The spans of open time from the start on, in order, until FARTHEST."""
    reached = start.astimezone(UTC)
    day, last = reached.astimezone(hours.zone).date(), (reached + FARTHEST).date()
    while day <= last:
        for opens, closes in _spans_of_day(hours, day):
            opens = max(opens, reached)
            if opens < closes:
                yield opens, closes
                reached = closes
        day += DAY


def _spans_of_day(hours: Hours, day: date) -> Iterator[tuple[datetime, datetime]]:
    """The open spans of one day by the person's own clock; its end is the next one's beginning."""
    if hours.is_off(day):
        return
    begin, end = _instant(hours.zone, day, MIDNIGHT), _instant(hours.zone, day + DAY, MIDNIGHT)
    if hours.quiet is None or hours.quiet[0] == hours.quiet[1]:
        yield begin, end
        return
    first, last = (_instant(hours.zone, day, at) for at in hours.quiet)
    if hours.quiet[0] < hours.quiet[1]:
        yield begin, first
        yield last, end
    else:
        yield last, first


def _instant(zone: ZoneInfo, day: date, at: time) -> datetime:
    """The instant of a time on the wall. One that comes twice is its first; one that is skipped when clocks
    go forward is the moment at which they do."""
    wall = datetime.combine(day, at)
    first = wall.replace(tzinfo=zone).astimezone(UTC)
    if first.astimezone(zone).replace(tzinfo=None) == wall:
        return first
    return _change_between(zone, wall.replace(tzinfo=zone, fold=1).astimezone(UTC), first)


def _change_between(zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """The first instant, to the second, that has the zone's later offset of the two."""
    later = after.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = before + timedelta(seconds=(after - before) // timedelta(seconds=2))
        if middle.astimezone(zone).utcoffset() == later:
            after = middle
        else:
            before = middle
    return after
