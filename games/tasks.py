"""What tables do by themselves now and then. A lost or doubled run changes nothing."""

from celery import shared_task

from accounts import clock
from accounts.ticks import after_a_tick, at_most
from games.chat.services.deals import judge_deals as judge_deals_by
from games.chat.services.sealed_notes import open_sealed_notes as open_seals_by
from games.services import match_games, practice, tick
from games.services.expiry import close_unfilled as close_unfilled_by
from games.services.lobby import forget_old_invitations as forget_invitations_by
from games.services.reminders import remind_due


@shared_task
def delete_old_practice() -> int:
    """Deletes guests' practice games that are a week old; returns how many."""
    return practice.delete_old_practice(clock.now())


@shared_task
def begin_next_games() -> int:
    """Begins the next games of matches whose pause is over; returns how many."""
    return match_games.begin_due_games(clock.now())


@shared_task
def close_unfilled() -> int:
    """Warns the hosts of tables nobody fills and closes those whose time is over; returns how many."""
    return close_unfilled_by(clock.now())


@shared_task
def forget_old_invitations() -> int:
    """Deletes the invitations of tables that stopped gathering players a month ago; returns how many."""
    return forget_invitations_by(clock.now())


@shared_task
@at_most(1)
def remind() -> int:
    """Queues the reminders of deadlines whose moment has come; returns how many."""
    return remind_due(clock.now(), after_a_tick())


@shared_task
@at_most(1)
def open_seals() -> int:
    """Opens the sealed notes whose event has happened; returns how many."""
    return open_seals_by(clock.now())


@shared_task
@at_most(1)
def judge_deals() -> int:
    """Marks promises as kept or broken where the table has seen it; returns how many were looked at."""
    return judge_deals_by()


@shared_task
def run_clock() -> int:
    """Plays where somebody's time is out; returns how often. Before, it gives back the time of an outage.

    Every tick shows that the site is up, also while another still plays.
    """
    tick.beat_heart(clock.now())
    return _run_clock()


@at_most(1)
def _run_clock() -> int:
    return tick.run_tick(clock.now(), after_a_tick())
