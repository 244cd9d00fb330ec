"""The tick that beat wakes; what to do is read from rows, so a lost or doubled tick changes nothing."""

from celery import shared_task

from accounts.post import delivery


@shared_task
def deliver_due() -> int:
    """Delivers the letters that are due; returns how many the mail server accepted."""
    return delivery.deliver_due()
