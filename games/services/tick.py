"""The clock's tick: when a seat's time has run out, play the default move for it.

Rows are checked again under the game's lock, and one `now` serves the whole tick. So nothing happens early,
and two ticks at once play a move only once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from accounts.full_disk import raise_if_full
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import queue
from accounts.row_locks import free
from games.clocks.countdown_changes import give_outages_back
from games.clocks.countdowns import COUNTDOWN_COLUMNS, countdown_of, due_of, write_countdown
from games.clocks.counted_hours import HIDDEN, calendars_for
from games.clocks.due import DueSeatsCursor, never
from games.clocks.outages import beat_heart, set_clocks_right
from games.models import Game, LogEntry, Seat
from games.models.locking import present_people, seats_of
from games.rules import pending
from games.services.absence import play_for_absent
from games.services.continue_game import continue_game
from games.services.default_moves import default_move
from games.services.game_endings import end_by_table
from games.services.notifications import emails_about
from games.services.progress import Progress
from games.services.proposals import carry_out_if_agreed
from games.services.strategist import play_for_late_thoughts

logger = logging.getLogger(__name__)

# Where this process stopped, if a tick was interrupted.
_cursor = DueSeatsCursor("due_at")


def run_tick(now: datetime, is_over: Callable[[], bool] = never) -> int:
    """Give back the time of any outage, then play overdue moves; return how many were played.

    Captain plays where Strategist takes too long.

    When `is_over` returns True, the rest is left to the next tick.
    """
    beat_heart(now)
    set_clocks_right(now, is_over)
    return play_overdue(now, is_over) + play_for_late_thoughts(now, is_over)


def play_overdue(now: datetime, is_over: Callable[[], bool] = never) -> int:
    """Play for the seats whose time has run out; return how many. One broken game stops no other."""
    return _cursor.run(_play_or_log, now, is_over)


def _play_or_log(pk: int, now: datetime) -> bool:
    try:
        return _play_if_due(pk, now)
    except Exception as error:  # whatever is wrong with one game, the others' clocks run
        raise_if_full(error)
        logger.exception("the clock could not play for seat %s", pk)
        return False


@transaction.atomic
def _play_if_due(pk: int, now: datetime) -> bool:
    due = Game.objects.running().filter(table__seats__pk=pk, table__seats__due_at__lte=now)
    game = max(free(due.select_related("table")), key=lambda one: one.number, default=None)
    if game is None:
        return False
    give_outages_back(game, now)
    seats = seats_of(game)
    seat = next(one for one in seats if one.pk == pk)
    if seat.due_at is None or seat.due_at > now:
        return False
    if _is_due_later(game, seat, seats, now) or _has_not_been_notified(game, seat, now):
        return False
    _play_for(game, seat, seats, now)
    return True


def _is_due_later(game: Game, seat: Seat, seats: list[Seat], now: datetime) -> bool:
    """Return whether the recomputed deadline is later than now, and then store it on the row.

    A secret decision that other hours have put off already is not put off again (calendars.py).
    """
    if seat.was_put_off and seat.pending_decision == HIDDEN:
        return False
    calendars, countdown = calendars_for(seat, game.table, game, seats), countdown_of(seat)
    if countdown is None or due_of(countdown, calendars) <= now:
        return False
    write_countdown(seat, countdown, calendars, now)
    seat.save(update_fields=COUNTDOWN_COLUMNS)
    return True


def _has_not_been_notified(game: Game, seat: Seat, now: datetime) -> bool:
    """Return whether the decision's email or a reminder is overdue and has not been sent.

    No one runs out of time before being told. The time lost is given back when the email leaves
    (late_emails.py).
    """
    if seat.remind_at is not None and seat.remind_at <= now:
        return True
    late = Q(not_before__lte=now) | ~Q(last_error="")
    return emails_about(game, seat).filter(late, state=OutgoingEmail.State.QUEUED).exists()


def _play_for(game: Game, seat: Seat, seats: list[Seat], now: datetime) -> None:
    """Play the default move for the clock; after too many missed turns, a bot takes over.

    A secret answer counts as no miss: players could infer the count, and it would reveal who was asked (R17).
    """
    progress = Progress.of(game)
    assert seat.decision_step is not None
    assert any(
        (seat.number, seat.decision_step) == (one.seat, one.decision_step) for one in pending(progress.state)
    )
    is_last_miss = seat.pending_decision != HIDDEN and seat.misses + 1 >= game.table.most_misses
    if is_last_miss and not present_people(game).exclude(pk=seat.pk).exists():
        end_by_table(game, Game.Ended.ABANDONED, (), now)  # no game goes on among bots alone
        return
    move = default_move(game, progress.state, seat.number)
    progress.play(game, seat.number, move, now, decision_step=seat.decision_step, via=LogEntry.Via.CLOCK)
    if seat.pending_decision != HIDDEN:
        seat.misses += 1  # saved with its next decision
    if is_last_miss:
        play_for_absent(game, seat, progress.state.ply, now)
    else:
        _tell_time_out(game, seat)
    continue_game(game, progress, now, seats)
    if is_last_miss and not game.is_over:
        carry_out_if_agreed(game, now)


def _tell_time_out(game: Game, seat: Seat) -> None:
    key = f"time_out:{game.pk}:{seat.number}:{seat.decision_step}:{seat.user_id}"
    context = {"game": game.pk, "seat": seat.number, "decision_step": seat.decision_step}
    queue("time_out", to=seat.person, key=key, context=context)
