"""Periodic tasks of tables. A lost or doubled run changes nothing."""

from celery import shared_task

from accounts import clock
from accounts.clock_jumps import clock_is_ahead
from accounts.full_disk import require_room
from accounts.mail.outbox import giving_way
from accounts.ticks import after_a_tick, at_most
from games.chat.services.deal_judging import judge_deals as judge_deals_by
from games.chat.services.sealed_note_openings import open_sealed_notes as open_seals_by
from games.clocks.outages import beat_heart, set_clocks_right
from games.services import advice, analysis, match_games, practice, strategist
from games.services.expiry import close_unfilled as close_unfilled_by
from games.services.hours import run_hours as run_hours_by
from games.services.reminders import remind_due
from games.services.table_alerts import tell_of_open_tables as tell_of_open_tables_by
from games.services.table_invitations import forget_old_invitations as forget_invitations_by
from games.services.tick import run_tick


@shared_task
def delete_old_practice() -> int:
    """Delete guests' practice games that are a week old; return how many."""
    return practice.delete_old_practice(clock.now())


@shared_task
@giving_way()
def begin_next_games() -> int:
    """Begin the next games of matches whose pause is over; return how many."""
    return match_games.begin_due_games(clock.now())


@shared_task
@giving_way()
def close_unfilled() -> int:
    """Warn the hosts of unfilled tables and close expired ones; return how many."""
    return close_unfilled_by(clock.now())


@shared_task
def forget_old_invitations() -> int:
    """Delete the invitations of tables that stopped gathering players a month ago; return how many."""
    return forget_invitations_by(clock.now())


@shared_task
@giving_way()
def tell_of_open_tables() -> int:
    """Email people who wait for a table about those opened since; return how many."""
    return tell_of_open_tables_by(clock.now())


@shared_task
@at_most(1)
@giving_way()
def remind() -> int:
    """Queue the reminders of deadlines that are due; return how many."""
    return remind_due(clock.now(), after_a_tick())


@shared_task
@at_most(1)
@giving_way()
def run_hours() -> int:
    """Queue the reminders of shared hours that are due; return how many hours."""
    return run_hours_by(clock.now(), after_a_tick())


@shared_task
@at_most(1)
@giving_way()
def open_seals() -> int:
    """Open the sealed notes whose event has happened; return how many."""
    return open_seals_by(clock.now())


@shared_task
@at_most(1)
@giving_way()
def judge_deals() -> int:
    """Mark promises as kept or broken where the site has seen it; return how many were checked."""
    return judge_deals_by()


@shared_task
@at_most(1)
def think() -> int:
    """Let Strategist think in a process of its own: about what players asked, then about its turns.

    Turns come up without end, questions don't: each took a press. Analyses come last, and stop where anyone
    waits. Return how many thoughts came to an end.
    """
    now, is_over = clock.now(), after_a_tick()
    done = advice.advise(now, is_over) + strategist.think(now, is_over)
    return done + analysis.analyse(now, is_over, advice.is_anyone_waiting)


@shared_task
def run_clock() -> int | None:
    """Play the default moves of players who ran out of time; return how many, or None while another run does.

    Gives back the time of an outage first, and does nothing else while the machine's clock is ahead. Every
    tick shows that the site is up, even while another is still running.
    """
    require_room()  # while no move can be stored, no one's time counts: the clock stands still
    beat_heart(clock.now())
    return _run_clock()


@at_most(1)
@giving_way()
def _run_clock() -> int:
    now, is_over = clock.now(), after_a_tick()
    if clock_is_ahead():
        set_clocks_right(now, is_over)
        return 0
    return run_tick(now, is_over)
