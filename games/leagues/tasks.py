"""What leagues do by themselves. A lost or doubled run changes nothing."""

from celery import shared_task

from accounts import present
from games.leagues import needs
from games.leagues.commands import running


@shared_task
def run_seasons() -> int:
    """Does whatever has come due in any league; returns how many pieces."""
    return running.run_seasons(present.now())


@shared_task
def tell_needs() -> int:
    """Writes to organisers about what has come to need them; returns how much that is."""
    return needs.tell_needs(present.now())
