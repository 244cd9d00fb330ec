"""Celery task of the push app. All state is in rows, so a lost or repeated run is harmless."""

from celery import shared_task

from accounts.push import sending
from accounts.ticks import at_most


@shared_task
@at_most(1)
def send_due() -> int:
    """Send the notifications that are due; return how many were accepted."""
    return sending.send_due()
