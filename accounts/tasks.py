"""What accounts do by themselves now and then. A lost or doubled run changes nothing."""

from datetime import timedelta

from celery import shared_task

from accounts import clock, privacy, rate_limits, sign_in_codes
from accounts.models import User

UNCONFIRMED_LASTS = timedelta(days=1)


@shared_task
def delete_unconfirmed_accounts() -> int:
    """Deletes accounts whose address was typed a day ago and never proved; returns how many."""
    _, deleted = User.objects.unproven().filter(joined_at__lt=clock.now() - UNCONFIRMED_LASTS).delete()
    return deleted.get("accounts.User", 0)


@shared_task
def delete_old_counts() -> int:
    """Deletes counts of limited actions of days that are over and codes that no longer work; how many."""
    return rate_limits.delete_old_counts() + sign_in_codes.delete_old_codes()


@shared_task
def delete_ended_sessions() -> int:
    """Deletes sessions that have expired, and what the list of sessions says of them; returns how many."""
    return privacy.forget_ended_sessions()
