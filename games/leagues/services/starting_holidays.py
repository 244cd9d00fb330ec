"""Players who are on holiday when the first tables of their season begin."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from accounts.availability import DAY, back_at
from games.leagues.models import Registration


@dataclass(frozen=True, slots=True)
class StartingHoliday:
    """A holiday over the start of a season: its first and last day, and when the player is back."""

    first: date
    last: date
    back_at: datetime


def holiday_over_start(entry: Registration) -> StartingHoliday | None:
    """Return the player's holiday on which their season begins; None if they are there then."""
    begins, zone, holidays = entry.season.begins_at, entry.user.zone, list(entry.user.holidays.all())
    back = back_at(entry.user, holidays, begins)
    if back is None:
        return None
    day = begins.astimezone(zone).date()
    first = next(one.first for one in holidays if one.first <= day <= one.last)
    return StartingHoliday(first, back.astimezone(zone).date() - DAY, back)
