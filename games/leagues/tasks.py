"""What leagues do by themselves. A lost or doubled run changes nothing."""

from celery import shared_task

from accounts import clock
from accounts.ticks import at_most
from games.leagues.selectors.organiser_tasks import notify_organisers
from games.leagues.services import league_tick, registration


@shared_task
@at_most(1)
def run_seasons() -> int:
    """Does whatever has come due in any league, and tells organisers what only they can decide; returns how
    many pieces."""
    now = clock.now()
    return league_tick.run_seasons(now) + notify_organisers(now)


@shared_task
def forget_what_is_over() -> int:
    """Forgets invited addresses and notes for seats that nobody needs any more; returns how many."""
    return registration.forget_old_invitations(clock.now()) + registration.forget_old_notes()
