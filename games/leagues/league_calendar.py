"""The dates of leagues as a calendar (RFC 5545). It contains no more than the leagues' pages."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from games.leagues.feeds import State
from games.leagues.models import Season
from games.leagues.selectors.season_dates import Date, dates_of
from games.presenters.calendar_feed import CalendarEntry, calendar_file


def calendar_of(name: str, seasons: Collection[Season], now: datetime) -> bytes:
    """Return a calendar with the dates of these seasons, without cancelled ones."""
    dates = dates_of([season for season in seasons if season.state != State.CANCELLED])
    return calendar_file("leagues", name, map(_calendar_entry, dates), now)


def _calendar_entry(date: Date) -> CalendarEntry:
    return CalendarEntry(f"season-{date.key}", date.at, f"{date.season.league.name} · {date.text}", date.path)
