"""When people who have not answered may be reminded again, read from the league's log."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from django.db.models import Q, QuerySet

from games.leagues.models import AuditEvent, Season

AGAIN_AFTER, MOST_CHASES = timedelta(days=3), 3
BEFORE_END, OPEN_FOR = timedelta(days=2), timedelta(days=1)


class Chased(StrEnum):
    """The people that are reminded: invited or with a reserved place, or players who have yet to confirm."""

    INVITED = "invited"
    SILENT = "silent"


def chases_of(season: Season, whom: Chased) -> QuerySet[AuditEvent]:
    """Return the reminders of these people so far."""
    return season.events.filter(kind=AuditEvent.Kind.CHASED, facts__whom=whom)


def reminder_at(season: Season) -> datetime | None:
    """Return when the season reminds everyone invited before sign-up ends; None if it doesn't.

    It does so once, not on the first day of sign-up, and not soon after an organiser has.
    """
    due = season.signup_ends_at - BEFORE_END
    if season.state != Season.State.SIGN_UP or due < season.opens_at + OPEN_FOR:
        return None
    is_done = Q(by=None) | Q(at__gt=due - AGAIN_AFTER)
    return None if chases_of(season, Chased.INVITED).filter(is_done).exists() else due
