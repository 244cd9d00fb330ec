"""Periodic tasks of the site itself. A lost or doubled run changes nothing."""

from celery import shared_task

from accounts import clock
from accounts.ticks import at_most
from condottiere_site.health import alerts


@shared_task
@at_most(1)
def tell_of_failures() -> int:
    """Email operators when the site has failed for ten minutes; return how many emails were queued."""
    return alerts.tell_of_failures(clock.now())
