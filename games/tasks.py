"""What tables do by themselves now and then. A lost or doubled run changes nothing."""

from celery import shared_task

from accounts import present
from accounts.ticks import after_a_tick, at_most
from games.commands import clock, match, practice
from games.commands.closing import close_unfilled as close_unfilled_by
from games.commands.gather import forget_old_invitations as forget_invitations_by
from games.commands.reminding import remind_due
from games.press.commands.judging import judge_bargains as judge_bargains_by
from games.press.commands.unsealing import open_seals as open_seals_by


@shared_task
def delete_old_practice() -> int:
    """Deletes guests' practice games that are a week old; returns how many."""
    return practice.delete_old_practice(present.now())


@shared_task
def begin_next_games() -> int:
    """Begins the next games of matches whose pause is over; returns how many."""
    return match.begin_due_games(present.now())


@shared_task
def close_unfilled() -> int:
    """Warns the hosts of tables nobody fills and closes those whose time is over; returns how many."""
    return close_unfilled_by(present.now())


@shared_task
def forget_old_invitations() -> int:
    """Deletes the invitations of tables that stopped gathering players a month ago; returns how many."""
    return forget_invitations_by(present.now())


@shared_task
@at_most(1)
def remind() -> int:
    """Queues the reminders of deadlines whose moment has come; returns how many."""
    return remind_due(present.now(), after_a_tick())


@shared_task
@at_most(1)
def open_seals() -> int:
    """Opens the sealed letters whose event has happened; returns how many."""
    return open_seals_by(present.now())


@shared_task
@at_most(1)
def judge_bargains() -> int:
    """Marks promises as kept or broken where the table has seen it; returns how many were looked at."""
    return judge_bargains_by()


@shared_task
def run_clock() -> int:
    """Plays where somebody's time is out; returns how often. Before, it gives back the time of an outage.

    Every tick shows that the site is up, also while another still plays.
    """
    clock.beat_heart(present.now())
    return _run_clock()


@at_most(1)
def _run_clock() -> int:
    return clock.run_clock(present.now(), after_a_tick())
