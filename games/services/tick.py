"""The clock's tick: where time has run out, the default move is played for the seat."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import queue
from games.clocks.calendars import hours_changed
from games.clocks.countdowns import (
    COUNTDOWN_COLUMNS,
    HIDDEN,
    calendars_for,
    countdown_of,
    due_of,
    write_countdown,
)
from games.clocks.due import DueSeats, never
from games.clocks.outages import beat_heart, credit_outage, set_clocks_right
from games.clocks.pauses import give_outages_back
from games.models import Game, LogEntry, Seat
from games.models.locking import present_people
from games.models.replay import replayed
from games.rules import CARDS, Move, State, drawn_by_clock, legal_moves, parse_move, pending
from games.services.absence import play_for_absent
from games.services.moves import Progress, append_entries, end_by_table
from games.services.notifications import email_about
from games.services.proposals import carried_out_meanwhile
from games.services.reminders import email_came

KEPT_BY_DEFAULT = 2


def default_move(game: Game, state: State, seat: int) -> Move:
    """Pass; keep the hand; keep the two highest cards; a region drawn from the game's key."""
    return _ANSWERS[state.phase](game, state, legal_moves(state, seat))


def _pass(game: Game, state: State, moves: Sequence[Move]) -> Move:
    """A card that lies face down stays so (R38)."""
    return parse_move("pass")


def _keep_hand(game: Game, state: State, moves: Sequence[Move]) -> Move:
    return parse_move("keep hand")


def _place(game: Game, state: State, moves: Sequence[Move]) -> Move:
    return moves[drawn_by_clock(game.key, state.ply, len(moves))]


def _keep_highest(game: Game, state: State, moves: Sequence[Move]) -> Move:
    """As many cards as may be kept, the highest Mercenaries first, then the others in their order."""
    return max(moves, key=lambda move: sorted((_rank(card) for card in move.cards), reverse=True))


def _rank(card: str) -> tuple[bool, int]:
    return card.isdigit(), int(card) if card.isdigit() else -CARDS.index(card)


_ANSWERS: dict[str, Callable[[Game, State, Sequence[Move]], Move]] = {
    "battle": _pass,
    "hand": _keep_hand,
    "place": _place,
    "keep": _keep_highest,
}


# The clock's tick: where a question's time is out, the plainest move is played for its seat.
#
# What is to be done is read from rows and looked at again under the game's lock, with one `now` for the whole
# tick: nothing is done early, and two ticks at once do it once.


__all__ = ["beat_heart", "credit_outage", "email_came", "hours_changed", "play_overdue", "run_tick"]

logger = logging.getLogger(__name__)


def run_tick(now: datetime, is_over: Callable[[], bool] = never) -> int:
    """Looks whether the service was down, gives that time back, and plays where time is out; how often.

    What is left when `is_over` is the next tick's.
    """
    beat_heart(now)
    set_clocks_right(now, is_over)
    return play_overdue(now, is_over)


_due = DueSeats("due_at")


def play_overdue(now: datetime, is_over: Callable[[], bool] = never) -> int:
    """Plays for the seats whose time is out; how many. A game that cannot be played stops no other."""
    return _due.each(_play_or_log, now, is_over)


def _play_or_log(pk: int, now: datetime) -> bool:
    try:
        return _play_if_due(pk, now)
    except Exception:  # whatever is wrong with one game, the others' clocks run
        logger.exception("the clock could not play for seat %s", pk)
        return False


@transaction.atomic
def _play_if_due(pk: int, now: datetime) -> bool:
    running = Game.objects.running().filter(table__seats=pk).select_related("table")
    game = running.select_for_update(of=("self",)).order_by("-number").first()
    if game is not None:
        give_outages_back(game, now)
    seat = Seat.objects.select_related("user").get(pk=pk)
    if game is None or seat.due_at is None or seat.due_at > now:
        return False
    if _is_due_later(game, seat, now) or _has_not_been_told(game, seat, now):
        return False
    _play_for(game, seat, now)
    return True


def _is_due_later(game: Game, seat: Seat, now: datetime) -> bool:
    """The deadline counted anew; the row is put right where it is later than the row says. One that other
    hours may not put off any more stays (calendars.py)."""
    if seat.was_put_off and seat.pending_decision == HIDDEN:
        return False
    seats = list(Seat.objects.people().filter(table_id=game.table_id))
    calendars, countdown = calendars_for(seat, game.table, game, seats), countdown_of(seat)
    if countdown is None or due_of(countdown, calendars) <= now:
        return False
    write_countdown(seat, countdown, calendars, now)
    seat.save(update_fields=COUNTDOWN_COLUMNS)
    return True


def _has_not_been_told(game: Game, seat: Seat, now: datetime) -> bool:
    """Whether the question's email, or a reminder, should have gone out and has not: nobody's time is out
    before he was told. What was lost by that is given back when it goes (late_emails.py)."""
    told_by = email_about(game, seat)
    reminders = Q(
        kind="reminder", about__game=game.pk, about__seat=seat.number, about__decision_step=seat.decision_step
    )
    of_question = reminders | Q(pk=told_by.pk if told_by else 0)
    late = Q(not_before__lte=now) | ~Q(last_error="")
    unsent = OutgoingEmail.objects.filter(
        late, of_question, to_user=seat.user_id, state=OutgoingEmail.State.QUEUED
    )
    is_to_be_reminded = seat.remind_at is not None and seat.remind_at <= now
    return is_to_be_reminded or unsent.exists()


def _play_for(game: Game, seat: Seat, now: datetime) -> None:
    """The plainest move, as the clock's; who has let the clock answer too often is stood in for.

    A secret answer counts as no miss: the count can be seen at work, and would tell who was asked (R17).
    """
    progress = Progress(replayed(game).state)
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
    _count_miss(seat)
    if is_last_miss:
        play_for_absent(game, seat, progress.state.ply, now)
    else:
        _tell_time_out(game, seat)
    append_entries(game, progress, now)
    if is_last_miss and not game.is_over:
        carried_out_meanwhile(game, now)


def _count_miss(seat: Seat) -> None:
    if seat.pending_decision != HIDDEN:
        seat.misses += 1
        seat.save(update_fields=["misses"])


def _tell_time_out(game: Game, seat: Seat) -> None:
    key = f"time_out:{game.pk}:{seat.number}:{seat.decision_step}:{seat.user_id}"
    about = {"game": game.pk, "seat": seat.number, "decision_step": seat.decision_step}
    queue("time_out", to=seat.person, key=key, about=about)
