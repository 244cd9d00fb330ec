"""Time given back to players whose email about a decision, or reminder, left late."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from django.conf import settings

from accounts.mail.models import OutgoingEmail
from accounts.mail.send_times import next_send_at
from games.clocks.countdown_changes import change_countdowns, give_back, give_outages_back, note_credit
from games.clocks.countdowns import settled
from games.clocks.counted_hours import HIDDEN, Calendars
from games.clocks.policy import NO_TIME, Countdown, Pace
from games.clocks.running_clocks import pace_of
from games.models import Game, Seat
from games.models.locking import seats_of
from games.services.notifications import decisions_in

GRACE = timedelta(minutes=15)  # how late an email may leave before its reader gets time back
AFTER_A_REMINDER = timedelta(hours=2)  # minimum left after a late reminder, or its whole lead time if shorter


def give_time_for_late_email(email: OutgoingEmail, now: datetime) -> None:
    """Give time back if an email about decisions left late; called when its delivery is settled.

    An email that fails for good gives no time, because the game goes on. Call this in the transaction that
    records the delivery status, before the email's row is locked.
    """
    if email.state != OutgoingEmail.State.SENT:
        return
    if email.kind == "reminder":
        _extend_after_late_reminder(email, now)
    elif now - _was_due(email) > GRACE:
        _restart_late_decisions(email, now)


def _was_due(email: OutgoingEmail) -> datetime:
    """Return when the email should have left; its row holds that only until an attempt fails."""
    if email.attempts <= 1:
        return email.not_before
    if email.to_user is None or email.kind == "your_turn":
        return email.created_at + settings.EMAIL_HOLD
    return next_send_at(email.to_user, email.created_at, email.created_at) or email.created_at


def _restart_late_decisions(email: OutgoingEmail, now: datetime) -> None:
    """Restart the decisions that this email announced late, if they are still open."""
    for game_pk, number, decision_step in sorted(decisions_in(email)):
        game = _lock_running_game(game_pk)
        seats = seats_of(game) if game else []
        seat = _still_asked(seats, number, decision_step, email)
        if game is not None and seat is not None:
            _restart_decision(game, seat, now, seats)


def _restart_decision(game: Game, seat: Seat, now: datetime, seats: Collection[Seat]) -> None:
    """Restart the decision with its whole time, and with at least the reserve it had."""
    pace, asked_since = pace_of(game.table), seat.asked_since
    if pace is None or asked_since is None or now - asked_since <= GRACE:
        return  # asked only a moment ago, among the decisions of one digest
    late = now - asked_since

    def restarted(countdown: Countdown, _calendars: Calendars) -> Countdown:
        begins = max(now, countdown.counted_from)  # later than now in a pause
        time_left = max(pace.per_decision, countdown.time_left)
        reserve = NO_TIME if seat.pending_decision == HIDDEN else _reserve_before(countdown, pace, late)
        return Countdown(begins, time_left, reserve)

    change_countdowns(game, now, restarted, of=lambda one: one is seat, seats=seats)
    note_credit(game, seat, late, now)


def _reserve_before(countdown: Countdown, pace: Pace, late: timedelta) -> timedelta:
    """Return the reserve when the decision was put: unchanged, unless the decision's own time was used up."""
    if countdown.time_left > NO_TIME:
        return countdown.reserve
    return min(pace.reserve, countdown.reserve + late)


def _extend_after_late_reminder(email: OutgoingEmail, now: datetime) -> None:
    """Give enough time to a player whose reminder left too late to help."""
    context = email.context
    game = _lock_running_game(context["game"])
    if game is None:
        return
    seats = seats_of(game)
    give_outages_back(game, now, seats=seats)
    seat = _still_asked(seats, context["seat"], context["decision_step"], email)
    if seat is None:
        return
    lead = datetime.fromisoformat(context["due_at"]) - email.created_at
    least = min(AFTER_A_REMINDER, lead)
    if now - email.created_at <= GRACE or seat.due_at is None or seat.due_at - now >= least:
        return

    def with_enough(countdown: Countdown, calendars: Calendars) -> Countdown:
        left = settled(countdown, calendars, now)
        missing = least - (left.time_left + left.reserve)
        return left.extended(missing) if missing > NO_TIME else countdown

    give_back(game, seat, with_enough, now, seats)


def _lock_running_game(pk: int) -> Game | None:
    """Return a running game, locked; None if it is over."""
    rows = Game.objects.running().select_for_update(of=("self",)).select_related("table")
    return rows.filter(pk=pk).first()


def _still_asked(seats: Iterable[Seat], number: int, decision_step: int, email: OutgoingEmail) -> Seat | None:
    """Return the seat of these in which the email's reader still has that decision pending, with a clock."""
    asked = (email.to_user_id, number, decision_step)
    timed = (seat for seat in seats if seat.due_at is not None)
    return next((seat for seat in timed if (seat.user_id, seat.number, seat.decision_step) == asked), None)
