"""When to send an email about turns: at once, after some minutes, or daily at the person's chosen hour."""

from datetime import date, datetime, timedelta

from accounts.durations import DAY
from accounts.local_times import instant_of
from accounts.models import User


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
    return instant_of(datetime.combine(day, user.digest_at), user.zone)
