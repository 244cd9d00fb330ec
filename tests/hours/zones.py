"""Hours, zones and instants to try at random, and what open time is by definition: an instant counts when the
clock on the person's wall shows an open time. Nothing here uses what accounts.working_hours computes."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from accounts.working_hours import Hours, NeverOpen

ZONES = [
    "UTC",
    "Europe/Berlin",
    "Europe/Dublin",  # its winter time is the one that is "saved"
    "America/New_York",
    "America/Havana",  # its clocks go back from 01:00 to midnight
    "America/St_Johns",  # theirs went back at 00:01, into the day before
    "America/Sao_Paulo",  # midnight itself was skipped in spring
    "Australia/Lord_Howe",  # half an hour of daylight saving
    "Pacific/Apia",  # left out 30 December 2011
    "Pacific/Kwajalein",  # left out 21 August 1993
    "Asia/Kathmandu",  # 15 minutes ahead of its neighbours since 1986
    "Asia/Tehran",  # changed at midnight until 2022
    "Asia/Beirut",  # goes forward at midnight
    "Africa/Casablanca",  # goes back for Ramadan
    "Africa/Monrovia",  # 44 minutes and 30 seconds behind until 1972
    "Antarctica/Troll",  # two hours of daylight saving
]
FIRST, LAST = datetime(1968, 1, 1, tzinfo=UTC), datetime(2036, 1, 1, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@cache
def changes(zone: str) -> list[datetime]:
    """Return the days, in UTC, on which this zone's clocks changed."""
    place, found, day = ZoneInfo(zone), [], FIRST
    offset = day.astimezone(place).utcoffset()
    while day < LAST:
        day += DAY
        before, offset = offset, day.astimezone(place).utcoffset()
        if offset != before:
            found.append(day - DAY)
    return found


def is_open(hours: Hours, moment: datetime) -> bool:
    """Return whether this instant counts, by local time."""
    wall = moment.astimezone(hours.zone)
    if wall.weekday() in hours.days_off:
        return False
    if any(first <= wall.date() <= last for first, last in hours.holidays):
        return False
    return hours.quiet is None or not _is_quiet(hours.quiet, wall.time())


def _is_quiet(quiet: tuple[time, time], at: time) -> bool:
    first, last = quiet
    return first <= at < last if first <= last else not last <= at < first


@st.composite
def moments(draw: st.DrawFn, zone: str | None = None) -> datetime:
    """Draw an instant, mostly near a change of the zone's clocks."""
    days = changes(zone) if zone else []
    if days and draw(st.booleans()):
        near = draw(st.sampled_from(days))
        return near + draw(st.timedeltas(-3 * DAY, 3 * DAY))
    return draw(st.datetimes(FIRST.replace(tzinfo=None), LAST.replace(tzinfo=None), timezones=st.just(UTC)))


QUARTERS = st.builds(time, st.integers(0, 23), st.sampled_from([0, 15, 30, 45]))


@st.composite
def open_hours(draw: st.DrawFn, near: datetime | None = None, zone: str | None = None) -> Hours:
    """Draw hours that someone may choose, with holidays around `near`."""
    place = ZoneInfo(zone or draw(st.sampled_from(ZONES)))
    quiet = draw(st.none() | st.tuples(QUARTERS, QUARTERS))
    days_off = draw(st.frozensets(st.integers(0, 6), max_size=5))
    holidays = draw(st.lists(_holidays(near or datetime(2026, 3, 29, tzinfo=UTC)), max_size=3).map(tuple))
    try:
        return Hours(place, quiet, days_off, holidays)
    except NeverOpen:
        return Hours(place, (time(21, 30), time(7)))


@st.composite
def _holidays(draw: st.DrawFn, near: datetime) -> tuple[date, date]:
    first = near.date() + draw(st.integers(-20, 40)) * DAY
    return first, first + draw(st.integers(0, 30)) * DAY


@st.composite
def hours_and_moment(draw: st.DrawFn) -> tuple[Hours, datetime]:
    """Draw hours, and an instant at which something in their zone may change."""
    zone = draw(st.sampled_from(ZONES))
    moment = draw(moments(zone))
    return draw(open_hours(moment, zone)), moment


SPANS = st.timedeltas(timedelta(0), 21 * DAY)
ALLOWANCES = st.timedeltas(timedelta(0), 14 * DAY) | st.sampled_from([timedelta(0), HOUR, 24 * HOUR])
