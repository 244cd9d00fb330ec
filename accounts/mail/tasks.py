"""Celery tasks of the mail app. All state is in rows, so a lost or repeated run is harmless."""

from celery import shared_task

from accounts.mail import delivery, mailbox, privacy, set_aside
from accounts.ticks import after_a_tick, at_most


@shared_task
@at_most(3)
def deliver_due() -> int:
    """Deliver the emails that are due; return how many the mail server accepted.

    A worker that is stopping finishes the current email first.
    """
    return delivery.deliver_due()


@shared_task
@at_most(1)
def fetch_mail() -> int:
    """Take the mail in the site's mailbox, if it has one, then what was set aside; return how many."""
    is_over = after_a_tick()
    return mailbox.fetch_mail(is_over) + set_aside.try_again(is_over)


@shared_task
def delete_old_emails() -> int:
    """Delete old delivery records, captured emails and suppressions; return how many rows."""
    return privacy.delete_old_emails()
