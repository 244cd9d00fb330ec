"""Celery tasks of the push app. All state is in rows, so a lost or repeated run is harmless."""

from celery import shared_task

from accounts.push import sending, target_sending
from accounts.ticks import at_most


@shared_task
@at_most(2)  # one goes on while another waits for its last answers
def send_due() -> int:
    """Send the notifications to browsers that are due; return how many were accepted."""
    return sending.send_due()


@shared_task
@at_most(2)
def send_due_to_targets() -> int:
    """Send the notifications to other targets that are due; return how many were accepted."""
    return target_sending.send_due()
