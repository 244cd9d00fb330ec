"""Reminders of deadlines, and time given back for emails that left late."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import next_send_at, queue
from accounts.models import User
from accounts.push.models import Push
from accounts.push.queueing import notify
from games.clocks.countdown_changes import change_countdowns, give_back, give_outages_back, note_credit
from games.clocks.countdowns import HIDDEN, Calendars, next_reminder, pace_of, settled
from games.clocks.due import DueSeatsCursor, never
from games.clocks.policy import NO_TIME, Countdown, Pace
from games.models import Game, Seat
from games.models.locking import locked_game
from games.services.notifications import email_about, notify_again, questions_of

logger = logging.getLogger(__name__)

# Where this process stopped, if a tick was interrupted.
_cursor = DueSeatsCursor("remind_at")

GRACE = timedelta(minutes=15)  # how late an email may leave before its reader gets time back
TIME_TO_BE_REMINDED = timedelta(hours=2)  # open time, for a player who could not be reminded before
AFTER_A_REMINDER = timedelta(hours=2)  # minimum left after a late reminder, or its whole lead time if shorter


def email_came(email: OutgoingEmail, now: datetime) -> None:
    """Give time back if an email about decisions left late; called when its delivery is settled.

    An email that fails for good gives no time, because the game goes on. Call this in the transaction that
    records the delivery status, before the email's row is locked.
    """
    if email.state != OutgoingEmail.State.SENT:
        return
    if email.kind == "reminder":
        _after_reminder(email, now)
    elif now - _was_due(email) > GRACE:
        _after_late_question(questions_of(email), email, now)


def _was_due(email: OutgoingEmail) -> datetime:
    """Return when the email should have left; its row holds that only until an attempt fails."""
    if email.attempts <= 1:
        return email.not_before
    if email.to_user is None or email.kind == "your_turn":
        return email.created_at + settings.EMAIL_HOLD
    return next_send_at(email.to_user, email.created_at, email.created_at) or email.created_at


def _after_late_question(
    questions: Iterable[tuple[int, int, int]], email: OutgoingEmail, now: datetime
) -> None:
    for game_pk, number, decision_step in sorted(questions):
        game = _held(game_pk, now)
        seat = _asked(game, number, decision_step, email) if game else None
        if game is not None and seat is not None:
            _begin_anew(game, seat, now)


def _begin_anew(game: Game, seat: Seat, now: datetime) -> None:
    """Restart the decision with its whole time, and with at least the reserve it had."""
    pace, asked_since = pace_of(game.table), seat.asked_since
    if pace is None or asked_since is None or now - asked_since <= GRACE:
        return  # asked only a moment ago, among the decisions of one digest
    late = now - asked_since

    def restarted(countdown: Countdown, _calendars: Calendars) -> Countdown:
        begins = max(now, countdown.counted_from)  # later than now in a pause
        time_left = max(pace.per_question, countdown.time_left)
        reserve = NO_TIME if seat.pending_decision == HIDDEN else _reserve_before(countdown, pace, late)
        return Countdown(begins, time_left, reserve)

    change_countdowns(game, now, restarted, of=lambda one: one.pk == seat.pk)
    note_credit(game, seat, late, now)


def _reserve_before(countdown: Countdown, pace: Pace, late: timedelta) -> timedelta:
    """Return the reserve when the decision was put: unchanged, unless the decision's own time was used up."""
    if countdown.time_left > NO_TIME:
        return countdown.reserve
    return min(pace.reserve, countdown.reserve + late)


def _after_reminder(email: OutgoingEmail, now: datetime) -> None:
    """Give enough time to a player whose reminder left too late to help."""
    game = _held(email.context["game"], now)
    seat = _asked(game, email.context["seat"], email.context["decision_step"], email) if game else None
    if game is None or seat is None:
        return
    lead = datetime.fromisoformat(email.context["due_at"]) - email.created_at
    least = min(AFTER_A_REMINDER, lead)
    if now - email.created_at <= GRACE or seat.due_at is None or seat.due_at - now >= least:
        return

    def with_enough(countdown: Countdown, calendars: Calendars) -> Countdown:
        left = settled(countdown, calendars, now)
        missing = least - (left.time_left + left.reserve)
        return left.extended(missing) if missing > NO_TIME else countdown

    give_back(game, seat, with_enough, now)


def _held(pk: int, now: datetime) -> Game | None:
    found = Game.objects.running().filter(pk=pk).first()
    if found is None:
        return None
    game = locked_game(found)
    give_outages_back(game, now)
    return game


def _asked(game: Game, number: int, decision_step: int, email: OutgoingEmail) -> Seat | None:
    """Return the seat if the email's reader still has that decision pending, with a clock."""
    open_questions = Seat.objects.filter(table_id=game.table_id, user=email.to_user, due_at__isnull=False)
    return open_questions.filter(number=number, decision_step=decision_step).first()


# Due reminders. Seats store the next moment (next_reminder); nothing here plays or moves a deadline.


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
            _note(seat, next_reminder(user, seat, now))
            if not user.gets_no_emails:
                seat.user = user
                notify_again(game, seat)


def _locked_game(seat: int, now: datetime) -> Game | None:
    """Return the running game of this seat's table, locked until the transaction ends."""
    game = Game.objects.running().select_for_update(of=("self",)).filter(table__seats=seat).first()
    if game is not None:
        give_outages_back(game, now)
    return game


def _remind_safely(pk: int, now: datetime) -> bool:
    """Remind one seat; log failures, so that one seat does not stop the others."""
    try:
        return _remind(pk, now)
    except Exception:  # logged; the tick goes on to the others
        logger.exception("seat %s could not be reminded", pk)
        return False


@transaction.atomic
def _remind(pk: int, now: datetime) -> bool:
    """Check again under the game's lock, queue the reminder, and store the next one. True if queued."""
    game = _locked_game(pk, now)
    seat = Seat.objects.select_related("user").get(pk=pk)
    if seat.remind_at is None or seat.remind_at > now:
        return False
    if game is None or seat.due_at is None or seat.played_by_bot:
        return _note(seat, None)
    queued = _queued_email(game, seat)
    if queued is None and seat.due_at <= now:
        return _give_time(game, seat, now)
    if queued is None:
        _queue_reminder(game, seat, seat.due_at)
        _note(seat, next_reminder(seat.person, seat, now))
        return True
    if queued.attempts or queued.not_before <= now:
        return False  # the decision's own email is on its way, and goes first
    _release(queued, now)
    return _note(seat, next_reminder(seat.person, seat, now) or now + (seat.due_at - now) / 2)


def _note(seat: Seat, moment: datetime | None) -> bool:
    seat.remind_at = moment
    seat.save(update_fields=["remind_at"])
    return False


def _give_time(game: Game, seat: Seat, now: datetime) -> bool:
    """Give time to a player whose deadline passed because no tick ran when a reminder was due.

    That was not their fault. They are reminded within the added time.
    """

    def with_some(countdown: Countdown, calendars: Calendars) -> Countdown:
        return settled(countdown, calendars, now).extended(TIME_TO_BE_REMINDED)

    give_back(game, seat, with_some, now)
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
    question = f"{game.pk}:{seat.number}:{seat.decision_step}:{seat.user_id}"
    key = f"reminder:{question}:{due_at.timestamp():.0f}:{lead.total_seconds():.0f}"
    context = {
        "game": game.pk,
        "seat": seat.number,
        "decision_step": seat.decision_step,
        "due_at": due_at.isoformat(),
    }
    queue("reminder", to=seat.person, key=key, context=context)
    notify(Push.Kind.REMINDER, seat.person, key=key, email_key=key, context=context)
