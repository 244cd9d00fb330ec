"""A person's calendar was changed: the countdowns that go by it are told from now on, never backwards."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from accounts.availability import hours_of_person
from accounts.models import User
from accounts.working_hours import Hours
from games.clocks.countdowns import (
    HIDDEN,
    Calendars,
    countdown_of,
    next_reminder,
    not_after,
    settled,
    write_countdown,
)
from games.clocks.pauses import change_countdowns, no_limit
from games.clocks.policy import PACES
from games.models import Game, Seat
from games.models.locking import locked_game


def hours_changed(user: User, hours_before: Hours, now: datetime) -> None:
    """Settle this person's open countdowns by his hours before, and let them go on by his hours now.

    Other hours of the week, or another zone, make an open question's deadline later once, and not again:
    whoever changed them every few days would never run out of time. Holidays are counted by the table.
    Called in the transaction that changed them, with the person locked. A secret question goes by the hours
    of all who are there, whoever is asked (R17).
    """
    week_changed = _week(hours_before) != _week(hours_of_person(user))
    running = Game.objects.running().of(user).filter(table__pace__in=PACES)
    for found in running.order_by("pk"):
        game = locked_game(found)
        change_countdowns(
            game,
            now,
            lambda countdown, calendars: settled(countdown, calendars, now),
            of=lambda seat: seat.user_id == user.pk or seat.pending_decision == HIDDEN,
            before={user.pk: hours_before},
            limit=_later_once if week_changed else no_limit,
        )


def _later_once(seat: Seat, due_before: datetime, calendars: Calendars, now: datetime) -> None:
    """The row, unsaved, as it was written by other hours: later than before it is due once. After that it
    stays due when it was, and never sooner, though no open time may lie before that any more."""
    countdown = countdown_of(seat)
    if countdown is None or seat.due_at is None or seat.due_at <= due_before:
        return
    if not seat.was_put_off:
        seat.was_put_off = True
        return
    if seat.pending_decision != HIDDEN:
        write_countdown(seat, not_after(countdown, calendars[0], due_before), calendars, now)
    seat.due_at = due_before
    seat.remind_at = next_reminder(seat.person, seat, now)


def _week(hours: Hours) -> Hours:
    return replace(hours, holidays=())
