"""Moments as a calendar feed for other programs (RFC 5545)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from accounts.addresses import absolute_url, site_host

if TYPE_CHECKING:
    from icalendar import Event, Timezone

REFRESH = timedelta(hours=1)


class CalendarEntry(NamedTuple):
    """A calendar entry; it blocks time if it has an end. Its key stays when it moves, so it is shown once."""

    key: str
    at: datetime
    summary: str
    path: str
    until: datetime | None = None


def calendar_file(kind: str, name: str, moments: Iterable[CalendarEntry], now: datetime) -> bytes:
    """Return a calendar with this name; `kind` is the sort of calendar on this site.

    All times are in UTC, and a time of every week is an event of its own each week. Local times would need
    the rules of their zone, which not every program follows.
    """
    from icalendar import Calendar  # slow to import, and only needed here

    calendar = Calendar()
    calendar.add("prodid", f"-//{site_host()}//{kind}//")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", name)
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", "PT1H")
    calendar.add_component(_utc())
    for moment in moments:
        calendar.add_component(_event(moment, now))
    return bytes(calendar.to_ical())


def _event(moment: CalendarEntry, now: datetime) -> Event:
    from icalendar import Event

    event = Event()
    event.add("uid", f"{moment.key}@{site_host()}")
    event.add("dtstamp", now)
    event.add("last-modified", now)
    event.add("dtstart", moment.at.astimezone(UTC))
    if moment.until is not None:
        event.add("dtend", moment.until.astimezone(UTC))
    event.add("transp", "OPAQUE" if moment.until else "TRANSPARENT")
    event.add("summary", moment.summary)
    event.add("url", absolute_url(moment.path))
    return event


def _utc() -> Timezone:
    """Return the UTC component: a calendar without any component is invalid (RFC 5545, 3.6)."""
    from icalendar import Timezone, TimezoneStandard

    zone, standard = Timezone(), TimezoneStandard()
    zone.add("tzid", "UTC")
    standard.add("dtstart", datetime(1970, 1, 1))  # noqa: DTZ001 - local time, as the format wants it
    standard.add("tzoffsetfrom", timedelta(0))
    standard.add("tzoffsetto", timedelta(0))
    zone.add_component(standard)
    return zone
