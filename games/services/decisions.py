"""Pending decisions on the rows of seats: what a seat must decide, since when, and by when."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from django.db.models import prefetch_related_objects

from games.clocks.countdowns import COUNTDOWN_COLUMNS, clear_countdown, start_countdown, stop_countdown
from games.clocks.running_clocks import are_calendars_read, runs_clock
from games.models import Game, Seat
from games.orders import Stop
from games.rules import Decision
from games.services.notifications import notify_asked

_OWN_COLUMNS = ("pending_decision", "decision_step", "asked_since", "order_stop", "misses")
DECISION_COLUMNS = (*_OWN_COLUMNS, *COUNTDOWN_COLUMNS)
NO_STOPS: Mapping[int, Stop] = {}


def put_decisions(
    game: Game,
    seats: list[Seat],
    decisions: Collection[Decision],
    now: datetime,
    stops: Mapping[int, Stop] = NO_STOPS,
) -> None:
    """Store the pending decisions, start their clocks, and queue an email to each newly asked player.

    `seats` are all of the table's seats, in the order of locking.py. `stops` are, by seat, why a standing
    order asks.
    """
    asked = {decision.seat: decision for decision in decisions}
    answering = [seat for seat in seats if not seat.bot]
    for seat in seats:
        if seat.bot == Seat.Bot.STRATEGIST:
            _note_thought(seat, asked.get(seat.number), now)
    if are_calendars_read(game.table):
        users = [seat.user for seat in answering if seat.user and not seat.user.has_no_holidays]
        prefetch_related_objects(users, "holidays")
    for seat in answering:
        decision = asked.get(seat.number)
        if decision is not None and (seat.pending_decision, seat.decision_step) == (
            decision.kind,
            decision.decision_step,
        ):
            _stop_clock_if_nobody_waits(game, seat, answering)
        elif decision is not None or seat.asked_since is not None:
            _store_decision(game, seat, decision, answering, now, stops.get(seat.number))


def _note_thought(seat: Seat, decision: Decision | None, now: datetime) -> None:
    """Note that a Strategist has to think, or no longer; no clock runs and no email is due."""
    noted = (seat.pending_decision, seat.decision_step)
    asked = (None, None) if decision is None else (decision.kind, decision.decision_step)
    if noted != asked:
        seat.pending_decision, seat.decision_step = asked
        seat.asked_since = None if decision is None else now
        seat.save(update_fields=["pending_decision", "decision_step", "asked_since"])


def _store_decision(
    game: Game, seat: Seat, decision: Decision | None, seats: list[Seat], now: datetime, stop: Stop | None
) -> None:
    """Close the seat's decision and its clock; store the next one, if any, and start its clock."""
    clear_decision(game, seat, now)
    if decision is not None:
        seat.pending_decision, seat.decision_step, seat.asked_since = (
            decision.kind,
            decision.decision_step,
            now,
        )
        seat.order_stop = stop
        start_countdown(seat, game.table, game, seats, now)
    seat.save(update_fields=DECISION_COLUMNS)
    if decision is not None:
        notify_asked(game, seat, decision.decision_step)


def clear_decision(game: Game, seat: Seat, now: datetime) -> None:
    """Clear the pending decision on the seat's row, unsaved; used reserve is not given back."""
    stop_countdown(seat, game.table, game, now)
    seat.pending_decision = seat.decision_step = seat.asked_since = seat.order_stop = None


def _stop_clock_if_nobody_waits(game: Game, seat: Seat, seats: list[Seat]) -> None:
    """Stop the clock of a pending decision when no other person is left to wait for the answer."""
    if seat.due_at is not None and not runs_clock(seat, game.table, seats):
        clear_countdown(seat)
        seat.save(update_fields=DECISION_COLUMNS)
