"""Periodic tasks of the accounts app. A lost or repeated run is harmless."""

from datetime import timedelta

from celery import shared_task

from accounts import clock, rate_limits, sessions, sign_in_codes
from accounts.models import User
from accounts.row_locks import delete_free

UNCONFIRMED_LASTS = timedelta(days=1)


@shared_task
def delete_unconfirmed_accounts() -> int:
    """Delete accounts whose address was typed a day ago and never confirmed; return how many."""
    old = User.objects.unproven().filter(joined_at__lt=clock.now() - UNCONFIRMED_LASTS)
    _, deleted = delete_free(old)
    return deleted.get("accounts.User", 0)


@shared_task
def delete_old_counts() -> int:
    """Delete old rate limit counts and expired codes; return how many."""
    return rate_limits.delete_old_counts() + sign_in_codes.delete_old_codes()


@shared_task
def delete_ended_sessions() -> int:
    """Delete expired sessions and their records in the list of sessions; return how many."""
    return sessions.delete_ended_sessions()
