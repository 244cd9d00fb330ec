"""What leagues do by themselves. A lost or doubled run changes nothing."""

from celery import shared_task

from accounts import present
from accounts.ticks import at_most
from games.leagues.commands import forgetting, running
from games.leagues.needs import tell_needs


@shared_task
@at_most(1)
def run_seasons() -> int:
    """Does whatever has come due in any league, and tells organisers what only they can decide; returns how
    many pieces."""
    now = present.now()
    return running.run_seasons(now) + tell_needs(now)


@shared_task
def forget_what_is_over() -> int:
    """Forgets invited addresses and notes for seats that nobody needs any more; returns how many."""
    return forgetting.forget_old_invitations(present.now()) + forgetting.forget_old_notes()
