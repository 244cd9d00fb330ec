"""Apply changed working hours to running countdowns, from now on and never for the past."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from accounts.availability import hours_of_person
from accounts.models import User
from accounts.working_hours import Hours
from games.clocks.countdown_changes import change_countdowns, no_limit
from games.clocks.countdowns import countdown_of, not_after, settled, write_countdown
from games.clocks.counted_hours import HIDDEN, Calendars
from games.clocks.policy import PACES
from games.clocks.reminder_times import next_reminder
from games.models import Game, Seat
from games.models.locking import locked_game


def follow_hours(user: User, hours_before: Hours, now: datetime, **_: object) -> None:
    """Settle this user's open countdowns by their old hours, and continue them by their new hours.

    Other weekly hours, or another time zone, postpone a pending decision's deadline only once. Otherwise
    changing them every few days would let a player never run out of time. Holidays are limited by the table.

    A secret decision uses the hours of everyone present, regardless of who was asked (R17). Call this in the
    transaction that changed the hours, with the user locked.
    """
    week_changed = _week(hours_before) != _week(hours_of_person(user))
    running = Game.objects.running().of(user).filter(table__pace__in=PACES)
    for found in running.order_by("pk"):
        game = locked_game(found.pk)
        change_countdowns(
            game,
            now,
            lambda countdown, calendars: settled(countdown, calendars, now),
            of=lambda seat: seat.user_id == user.pk or seat.pending_decision == HIDDEN,
            before={user.pk: hours_before},
            limit=_postpone_once if week_changed else no_limit,
        )


def _postpone_once(seat: Seat, due_before: datetime, calendars: Calendars, now: datetime) -> None:
    """Allow changed hours to postpone the seat's deadline once; the row is not saved.

    After that, the deadline stays when it was and never moves earlier. That holds even if no open time is
    left before it.
    """
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
