"""The tick that beat wakes; what to do is read from rows, so a lost or doubled tick changes nothing."""

from celery import shared_task

from accounts.mail import delivery, privacy
from accounts.ticks import at_most, is_stopping


@shared_task
@at_most(3)
def deliver_due() -> int:
    """Delivers the emails that are due; returns how many the mail server accepted.

    A worker that is asked to stop ends with the email in hand.
    """
    return delivery.deliver_due(is_stopping=is_stopping)


@shared_task
def delete_old_emails() -> int:
    """Deletes what became of emails of long ago, and emails kept long enough; returns how many rows."""
    return privacy.delete_old_emails()
