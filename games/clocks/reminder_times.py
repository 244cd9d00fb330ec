"""When to remind a player of a deadline."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from accounts.models import User
from games.models import Seat


def next_reminder(user: User, seat: Seat, now: datetime) -> datetime | None:
    """Return the next moment after now to remind this user of the seat's deadline, or None."""
    if seat.counted_from is None or seat.due_at is None:
        return None
    if user.gets_no_emails or not user.reminders:
        return None
    moments = reminders(user.reminders, seat.counted_from, seat.due_at)
    return min((moment for moment in moments if moment > now), default=None)


def reminders(leads: Sequence[int], counted_from: datetime, due_at: datetime) -> list[datetime]:
    """Return when to remind a user of a deadline, for their lead times in hours.

    Lead times between the start and the deadline count; if there are none, the reminder is half-way.
    """
    moments = [due_at - timedelta(hours=lead) for lead in leads]
    between = sorted(moment for moment in moments if counted_from < moment < due_at)
    return between or [counted_from + (due_at - counted_from) / 2]
