"""What leagues do by themselves. A lost or doubled run changes nothing."""

from celery import shared_task

from accounts import present
from games.leagues.commands import running


@shared_task
def run_seasons() -> int:
    """Does whatever has come due in any league; returns how many pieces."""
    return running.run_seasons(present.now())
