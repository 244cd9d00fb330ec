"""When somebody is written to about what is asked of him: at once, after some minutes, or once a day at his
own hour. Asks no machine what time it is; knows no email."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from accounts.models import User

DAY = timedelta(days=1)


def next_send_at(user: User, asked: datetime, now: datetime) -> datetime | None:
    """When an email goes that tells of what was asked since `asked`; None: it is not one that collects."""
    match user.frequency:
        case User.Frequency.BATCHED:
            return max(now, asked + timedelta(minutes=user.batch_minutes))
        case User.Frequency.DIGEST:
            return next_digest(user, now)
    return None


def next_digest(user: User, now: datetime) -> datetime:
    """The next moment after now at which the clock on this person's wall shows his hour.

    An hour that clocks going forward leave out is told later by as much; of one that comes twice it is the
    first.
    """
    today = now.astimezone(user.zone).date()
    moments = (_moment(user, today + DAY * days) for days in range(-1, 4))
    return min(moment for moment in moments if moment > now)


def _moment(user: User, day: date) -> datetime:
    return datetime.combine(day, user.digest_at, tzinfo=user.zone).astimezone(UTC)
