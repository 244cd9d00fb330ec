"""The countdown of a decision as stored on the seat's row.

This module reads rows, and only sets columns on the seat it is given. It never decides to play a move.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from accounts.working_hours import Hours, open_time
from games.clocks.counted_hours import HIDDEN, Calendars, calendars_for, hours_of
from games.clocks.policy import NO_TIME, PACES, Countdown
from games.clocks.reminder_times import next_reminder
from games.clocks.running_clocks import runs_clock
from games.models import Game, Seat, Table

COUNTDOWN_COLUMNS = ("counted_from", "time_left", "reserve", "due_at", "remind_at", "was_put_off")


def countdown_of(seat: Seat) -> Countdown | None:
    """Return the countdown of the seat's pending decision, or None if no clock runs for it.

    A secret decision has no reserve: a shrinking reserve would reveal who was asked (R17).
    """
    if seat.counted_from is None or seat.time_left is None:
        return None
    reserve = NO_TIME if seat.pending_decision == HIDDEN else seat.reserve or NO_TIME
    return Countdown(seat.counted_from, seat.time_left, reserve)


def first_countdown(seat: Seat, table: Table, game: Game, now: datetime) -> Countdown:
    """Return the countdown of a decision put now: its whole time, and the seat's reserve."""
    pace = PACES[table.pace]
    begins = max(now, game.paused_until or now)
    reserve = NO_TIME if seat.pending_decision == HIDDEN else seat.reserve or NO_TIME
    return Countdown(begins, pace.per_decision, reserve)


def start_countdown(seat: Seat, table: Table, game: Game, seats: Iterable[Seat], now: datetime) -> None:
    """Set the countdown columns of a decision just put to the seat, unsaved, if a clock runs for it."""
    seats = list(seats)
    if runs_clock(seat, table, seats):
        calendars = calendars_for(seat, table, game, seats)
        write_countdown(seat, first_countdown(seat, table, game, now), calendars, now)


def write_countdown(seat: Seat, countdown: Countdown, calendars: Calendars, now: datetime) -> None:
    """Set the seat's columns, unsaved, to this countdown and the values computed from it."""
    seat.counted_from, seat.time_left = countdown.counted_from, countdown.time_left
    if seat.pending_decision != HIDDEN:
        seat.reserve = countdown.reserve
    seat.due_at = due_of(countdown, calendars)
    seat.remind_at = next_reminder(seat.person, seat, now)


def clear_countdown(seat: Seat) -> None:
    """Set the seat's columns, unsaved, to no open countdown; the reserve stays as it is."""
    seat.counted_from = seat.time_left = seat.due_at = seat.remind_at = None
    seat.was_put_off = False


def stop_countdown(seat: Seat, table: Table, game: Game, now: datetime) -> None:
    """Close the countdown of an answered or cleared decision, unsaved; used reserve is not given back."""
    countdown = countdown_of(seat)
    if countdown is not None and seat.pending_decision != HIDDEN:
        seat.reserve = countdown.settled(hours_of(seat.person, table, game), now).reserve
    clear_countdown(seat)


def due_of(countdown: Countdown, calendars: Calendars) -> datetime:
    """Return when a decision's time runs out by all these calendars."""
    return max(countdown.due_at(hours) for hours in calendars)


def settled(countdown: Countdown, calendars: Calendars, now: datetime) -> Countdown:
    """Return the countdown restated from now on, by the calendar that leaves most time."""
    return _most_left(countdown.settled(hours, now) for hours in calendars)


def without(countdown: Countdown, calendars: Calendars, start: datetime, end: datetime) -> Countdown:
    """Return the countdown as if a time span had not happened, by the calendar that leaves most time."""
    return _most_left(countdown.without(hours, start, end) for hours in calendars)


def not_after(countdown: Countdown, hours: Hours, moment: datetime) -> Countdown:
    """Return the countdown cut so that it is due by this moment; the reserve is cut last."""
    left = min(countdown.time_left + countdown.reserve, open_time(hours, countdown.counted_from, moment))
    reserve = min(countdown.reserve, left)
    return Countdown(countdown.counted_from, left - reserve, reserve)


def _most_left(countdowns: Iterable[Countdown]) -> Countdown:
    return max(countdowns, key=lambda countdown: countdown.time_left + countdown.reserve)
