"""Reminders of deadlines. Seats store the next moment (next_reminder); nothing here plays a move."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction

from accounts.full_disk import raise_if_full
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import queue
from accounts.models import User
from accounts.push.models import Push
from accounts.push.queueing import notify
from accounts.row_locks import free
from games.clocks.countdown_changes import give_back, give_outages_back
from games.clocks.countdowns import settled
from games.clocks.counted_hours import Calendars
from games.clocks.due import DueSeatsCursor, never
from games.clocks.policy import Countdown
from games.clocks.reminder_times import next_reminder
from games.models import Game, Seat
from games.models.locking import seats_of
from games.services.notifications import email_about, notify_again, reminder_key

logger = logging.getLogger(__name__)

TIME_TO_BE_REMINDED = timedelta(hours=2)  # open time, for a player who could not be reminded before

# Where this process stopped, if a tick was interrupted.
_cursor = DueSeatsCursor("remind_at")


def remind_due(now: datetime, is_over: Callable[[], bool] = never) -> int:
    """Queue the reminders that are due; return how many. Safe to repeat or to run twice at once.

    When `is_over` returns True, the rest is left to the next tick.
    """
    return _cursor.run(_remind_safely, now, is_over)


def apply_lead_times(user: User, now: datetime, **_: object) -> None:
    """Apply a user's new reminder lead times to their pending decisions.

    Call this in the transaction that changes them.
    """
    mine = Seat.objects.filter(user=user, asked_since__isnull=False)
    games = Game.objects.running().filter(table__in=mine.values("table")).order_by("pk")
    for game in games.select_for_update(of=("self",)):
        for seat in mine.filter(table_id=game.table_id):
            _store_next_reminder(seat, next_reminder(user, seat, now))
            if not user.gets_no_emails:
                seat.user = user
                notify_again(game, seat)


def _remind_safely(pk: int, now: datetime) -> bool:
    """Remind one seat; log failures, so that one seat does not stop the others."""
    try:
        return _remind(pk, now)
    except Exception as error:  # logged; the tick goes on to the others
        raise_if_full(error)
        logger.exception("seat %s could not be reminded", pk)
        return False


@transaction.atomic
def _remind(pk: int, now: datetime) -> bool:
    """Check again under the game's lock, queue the reminder, and store the next one. True if queued."""
    running = Game.objects.running().filter(table__seats=pk)
    game = free(running).first()
    if game is not None:
        give_outages_back(game, now)
    elif running.exists():
        return False  # another process is changing it
    seat = Seat.objects.select_related("user").get(pk=pk)
    if seat.remind_at is None or seat.remind_at > now:
        return False
    if game is None or seat.due_at is None or seat.played_by_bot:
        return _store_next_reminder(seat, None)
    queued = _queued_email(game, seat)
    if queued is None and seat.due_at <= now:
        return _give_time(game, seat, now)
    if queued is None:
        _queue_reminder(game, seat, seat.due_at)
        _store_next_reminder(seat, next_reminder(seat.person, seat, now))
        return True
    if queued.attempts or queued.not_before <= now:
        return False  # the decision's own email is on its way, and goes first
    _release(queued, now)
    return _store_next_reminder(seat, next_reminder(seat.person, seat, now) or now + (seat.due_at - now) / 2)


def _store_next_reminder(seat: Seat, moment: datetime | None) -> bool:
    """Store when to remind next; return False, because nothing was queued."""
    seat.remind_at = moment
    seat.save(update_fields=["remind_at"])
    return False


def _give_time(game: Game, seat: Seat, now: datetime) -> bool:
    """Give time to a player whose deadline passed because no tick ran when a reminder was due.

    That was not their fault. They are reminded within the added time.
    """

    def extended(countdown: Countdown, calendars: Calendars) -> Countdown:
        return settled(countdown, calendars, now).extended(TIME_TO_BE_REMINDED)

    seats = seats_of(game)
    own = next(one for one in seats if one.pk == seat.pk)
    give_back(game, own, extended, now, seats)
    return False


def _queued_email(game: Game, seat: Seat) -> OutgoingEmail | None:
    """Return the first email about the decision, if it is still queued."""
    email = email_about(game, seat)
    return email if email is not None and email.state == OutgoingEmail.State.QUEUED else None


def _release(email: OutgoingEmail, now: datetime) -> None:
    """Release an email that waits for its reader's chosen hour, so it leaves by the first reminder."""
    OutgoingEmail.objects.filter(pk=email.pk, state=OutgoingEmail.State.QUEUED, attempts=0).update(
        not_before=now
    )


def _queue_reminder(game: Game, seat: Seat, due_at: datetime) -> None:
    """Queue a reminder, keyed by lead time and deadline: a moved deadline gets its own reminders."""
    assert seat.remind_at is not None
    lead = due_at - seat.remind_at
    key = f"{reminder_key(game, seat)}{due_at.timestamp():.0f}:{lead.total_seconds():.0f}"
    context = {
        "game": game.pk,
        "seat": seat.number,
        "decision_step": seat.decision_step,
        "due_at": due_at.isoformat(),
    }
    queue("reminder", to=seat.person, key=key, context=context)
    notify(Push.Kind.REMINDER, seat.person, key=key, email_key=key, context=context)
