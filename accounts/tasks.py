"""What accounts do by themselves now and then. A lost or doubled run changes nothing."""

from datetime import timedelta

from celery import shared_task

from accounts import limits, personal, present, sign_in_codes
from accounts.models import User

UNPROVEN_LASTS = timedelta(days=1)


@shared_task
def forget_unproven() -> int:
    """Deletes accounts whose address was typed a day ago and never proved; returns how many."""
    _, deleted = User.objects.unproven().filter(joined_at__lt=present.now() - UNPROVEN_LASTS).delete()
    return deleted.get("accounts.User", 0)


@shared_task
def forget_old_counts() -> int:
    """Deletes counts of limited actions of days that are over and codes that no longer work; how many."""
    return limits.forget_old_days() + sign_in_codes.forget_old()


@shared_task
def forget_ended_sessions() -> int:
    """Deletes sessions that have expired, and what the list of sessions says of them; returns how many."""
    return personal.forget_ended_sessions()
