"""Clocks of seats: which hours count for a decision, and its countdown as stored on the seat's row.

This module reads rows, and only sets columns on the seat it is given. It never decides to play a move.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from accounts.availability import hours_of_person
from accounts.models import User
from accounts.working_hours import DAY, Hours, open_time
from games.clocks.policy import NO_TIME, PACES, Countdown, Pace
from games.models import Game, Seat, Table
from games.rules import Phase

HIDDEN = Phase.HAND  # R17: only the player knows that they are asked this
COUNTDOWN_COLUMNS = ("counted_from", "time_left", "reserve", "due_at", "remind_at", "was_put_off")

Calendars = tuple[Hours, ...]
NOBODYS: Mapping[int, Hours] = {}


# Whose clock runs


def pace_of(table: Table) -> Pace | None:
    """Return the time per move at this table, or None if no clock runs."""
    return PACES.get(table.pace)


def runs_clock(seat: Seat, table: Table, seats: Iterable[Seat]) -> bool:
    """Return whether decisions of this seat have a deadline: a person's, with another person waiting."""
    others = (other for other in seats if other.pk != seat.pk)
    return (
        table.pace in PACES
        and seat.user_id is not None
        and any(other.user_id is not None for other in others)
    )


def are_calendars_read(table: Table) -> bool:
    """Return whether this table's clocks use the players' own calendars."""
    return table.pace in PACES and table.hours != Table.Hours.ALL


def is_present(seat: Seat) -> bool:
    """Return whether a person has this seat and plays it without a bot."""
    return seat.user_id is not None and not seat.played_by_bot


def is_paused(game: Game, now: datetime) -> bool:
    """Return whether the clocks of this game are paused."""
    return game.paused_until is not None and game.paused_until > now


# Which hours count


def hours_of(user: User, table: Table, game: Game) -> Hours:
    """Return this user's hours that count in this game, by their current calendar."""
    if table.hours == Table.Hours.ALL:
        return Hours(user.zone)  # nothing of a calendar counts, so none is read
    return under_terms(hours_of_person(user), table, game)


def under_terms(own: Hours, table: Table, game: Game) -> Hours:
    """Apply the table's settings to a user's own hours.

    Holidays count from the start of the game, and only as many days as the table allows.
    """
    if table.hours == Table.Hours.ALL:
        return Hours(own.zone)
    holidays = tuple(_granted(own, game.started_at, table.most_holidays))
    if table.hours == Table.Hours.HOLIDAYS:
        return Hours(own.zone, holidays=holidays)
    return replace(own, holidays=holidays)


def _granted(own: Hours, begun: datetime, most: int) -> Iterable[tuple[date, date]]:
    """Return the first `most` days of holidays after a game's start; a repeated day counts once."""
    reached = begun.astimezone(own.zone).date()
    for first, last in sorted(own.holidays):
        first = max(first, reached)
        last = min(last, first + DAY * (most - 1))
        if first <= last:
            yield first, last
            most -= (last - first).days + 1
            reached = last + DAY


def calendars_for(
    seat: Seat, table: Table, game: Game, seats: Iterable[Seat], instead: Mapping[int, Hours] = NOBODYS
) -> Calendars:
    """Return the hours that the decision of this seat waits for.

    These are its own player's. For a secret decision they are those of everyone present. Then the moment when
    the game goes on without an answer does not reveal who was asked (R17).

    `instead` has hours by user, to use in place of their current calendar.
    """
    waited_for = [seat]
    if seat.pending_decision == HIDDEN:
        waited_for += [other for other in seats if is_present(other) and other.pk != seat.pk]
    return tuple(
        under_terms(instead[one.person.pk], table, game)
        if one.person.pk in instead
        else hours_of(one.person, table, game)
        for one in waited_for
    )


# Countdowns on rows


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
    return Countdown(begins, pace.per_question, reserve)


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


# Reminders


def next_reminder(user: User, seat: Seat, now: datetime) -> datetime | None:
    """Return the next moment after now to remind this user of the seat's deadline, or None."""
    if seat.counted_from is None or seat.due_at is None:
        return None
    if user.gets_no_emails or not user.reminders:
        return None
    moments = reminders(user.reminders, seat.counted_from, seat.due_at)
    return min((moment for moment in moments if moment > now), default=None)


def reminders(leads: Sequence[int], counted_from: datetime, due_at: datetime) -> list[datetime]:
    """Return when to remind a user of a deadline, for their lead times in hours.

    Lead times between the start and the deadline count; if there are none, the reminder is half-way.
    """
    moments = [due_at - timedelta(hours=lead) for lead in leads]
    between = sorted(moment for moment in moments if counted_from < moment < due_at)
    return between or [counted_from + (due_at - counted_from) / 2]


# Deadlines explained


@dataclass(frozen=True)
class Deadline:
    """A decision's deadline and what explains it: open time, its start, and the time that does not count."""

    seat: int
    due_at: datetime
    counted_from: datetime
    time_left: timedelta  # the decision's own time at counted_from
    reserve: timedelta  # at counted_from; shown only to the player who is asked
    question_ends_at: datetime  # when the reserve begins
    open_left: timedelta  # open time from now on, including the reserve
    paused_until: datetime | None  # in the future, or None
    hours: Hours  # those that count for the player
    quiet: tuple[time, time] | None  # within counted_from and due_at
    days_off: tuple[int, ...]  # 0 is Monday
    holidays: tuple[tuple[date, date], ...]
    is_secret: bool  # R17: shown only to the player; waits for everyone's hours

    @property
    def total(self) -> timedelta:
        """All open time counted from `counted_from` on."""
        return self.time_left + self.reserve

    def uses_reserve(self, now: datetime) -> bool:
        """Return whether the decision's own time is used up."""
        return self.question_ends_at <= now < self.due_at


def deadline_of(seat: Seat, table: Table, game: Game, now: datetime) -> Deadline | None:
    """Return the deadline of the seat's pending decision, or None if no clock runs for it.

    The deadline of a secret decision may be shown only to the player who is asked: see `is_secret`.
    """
    countdown = countdown_of(seat)
    if countdown is None or seat.due_at is None:
        return None
    hours = hours_of(seat.person, table, game)
    start, end = countdown.counted_from, seat.due_at
    is_secret = seat.pending_decision == HIDDEN
    return Deadline(
        seat=seat.number,
        due_at=end,
        counted_from=start,
        time_left=countdown.time_left,
        reserve=countdown.reserve,
        question_ends_at=end if is_secret else countdown.question_ends_at(hours),
        open_left=open_time(hours, max(now, start), end),
        paused_until=game.paused_until if is_paused(game, now) else None,
        hours=hours,
        quiet=hours.quiet if _quiet_matters(hours, start, end) else None,
        days_off=_days_off_between(hours, start, end),
        holidays=_holidays_between(hours, start, end),
        is_secret=is_secret,
    )


def _quiet_matters(hours: Hours, start: datetime, end: datetime) -> bool:
    awake = replace(hours, quiet=None)
    return open_time(awake, start, end) != open_time(hours, start, end)


def _days_off_between(hours: Hours, start: datetime, end: datetime) -> tuple[int, ...]:
    first, last = (moment.astimezone(hours.zone).date() for moment in (start, end))
    days = {(first + DAY * number).weekday() for number in range(min(7, (last - first).days + 1))}
    return tuple(sorted(hours.days_off & days))


def _holidays_between(hours: Hours, start: datetime, end: datetime) -> tuple[tuple[date, date], ...]:
    first, last = (moment.astimezone(hours.zone).date() for moment in (start, end))
    return tuple(pair for pair in hours.holidays if pair[0] <= last and pair[1] >= first)
