"""When to send turn emails: at once, after some minutes, or daily at the person's chosen hour.

Reads no clock and knows nothing about emails.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from accounts.models import User

DAY = timedelta(days=1)


def next_send_at(user: User, asked: datetime, now: datetime) -> datetime | None:
    """Return when to send an email about turns since `asked`; None if the person gets no digests."""
    match user.frequency:
        case User.Frequency.BATCHED:
            return max(now, asked + timedelta(minutes=user.batch_minutes))
        case User.Frequency.DIGEST:
            return next_digest(user, now)
    return None


def next_digest(user: User, now: datetime) -> datetime:
    """Return the next moment after `now` that is the digest hour in this person's time zone.

    An hour skipped when clocks go forward comes later by as much. Of a repeated hour, the first counts.
    """
    today = now.astimezone(user.zone).date()
    moments = (_moment(user, today + DAY * days) for days in range(-1, 4))
    return min(moment for moment in moments if moment > now)


def _moment(user: User, day: date) -> datetime:
    return datetime.combine(day, user.digest_at, tzinfo=user.zone).astimezone(UTC)
