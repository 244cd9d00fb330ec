"""Writes open questions to the seats' rows, with their clocks. Called under the game's lock, by record.py."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db.models import prefetch_related_objects

from games.commands.telling import tell_asked
from games.countdowns import (
    COUNTDOWN_COLUMNS,
    are_calendars_read,
    clear_countdown,
    runs_clock,
    start_countdown,
    stop_countdown,
)
from games.models import Game, Seat
from games.rules import Decision

QUESTION_COLUMNS = ("asked_kind", "asked_at", "asked_since", *COUNTDOWN_COLUMNS)


def ask(game: Game, seats: list[Seat], decisions: Collection[Decision], now: datetime) -> None:
    """Write the open questions, start their clocks, and queue a letter to whoever is newly asked.

    `seats` are all of the table's, as locking.py orders them.
    """
    asked = {decision.seat: decision for decision in decisions}
    answering = [seat for seat in seats if not seat.bot]
    if are_calendars_read(game.table):
        prefetch_related_objects([seat.user for seat in answering if seat.user], "holidays")
    for seat in answering:
        decision = asked.get(seat.number)
        if decision is not None and (seat.asked_kind, seat.asked_at) == (decision.kind, decision.asked_at):
            _stop_clock_if_nobody_waits(game, seat, answering)
        elif decision is not None or seat.asked_since is not None:
            _put(game, seat, decision, answering, now)


def _put(game: Game, seat: Seat, decision: Decision | None, seats: list[Seat], now: datetime) -> None:
    """Close the seat's question and its clock; write the next and start its clock, if there is one."""
    unask(game, seat, now)
    if decision is not None:
        seat.asked_kind, seat.asked_at, seat.asked_since = decision.kind, decision.asked_at, now
        start_countdown(seat, game.table, game, seats, now)
    seat.save(update_fields=QUESTION_COLUMNS)
    if decision is not None:
        tell_asked(game, seat, decision.asked_at)


def unask(game: Game, seat: Seat, now: datetime) -> None:
    """The seat's row, unsaved, says that nothing is asked; what the question took of the reserve is gone."""
    stop_countdown(seat, game.table, game, now)
    seat.asked_kind = seat.asked_at = seat.asked_since = None


def _stop_clock_if_nobody_waits(game: Game, seat: Seat, seats: list[Seat]) -> None:
    """The clock of an open question stops when nobody is left who would wait for its answer."""
    if seat.due_at is not None and not runs_clock(seat, game.table, seats):
        clear_countdown(seat)
        seat.save(update_fields=QUESTION_COLUMNS)
