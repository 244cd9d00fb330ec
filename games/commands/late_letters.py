"""Time that was lost because a letter left late is given back, once it has left."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings

from accounts.post.models import Letter
from accounts.rhythm import letter_due
from games.clock import NO_TIME, Countdown, Pace
from games.commands.locking import locked_game
from games.commands.telling import questions_of
from games.commands.timing import change_countdowns, give_back, give_outages_back, note_credit
from games.countdowns import HIDDEN, Calendars, pace_of, settled
from games.models import Game, Seat

GRACE = timedelta(minutes=15)  # so late may a letter leave without anybody missing the time
AFTER_A_REMINDER = timedelta(hours=2)  # is left after a late one, or its whole lead where that is less


def letter_came(letter: Letter, now: datetime) -> None:
    """The fate of a letter about questions is known. One that left late gives its reader the time that it
    was late; one that fails for good gives nothing, for the game goes on.

    Called in the transaction that records the fate, before the letter's row is locked.
    """
    if letter.state != Letter.State.SENT:
        return
    if letter.kind == "reminder":
        _after_reminder(letter, now)
    elif now - _was_due(letter) > GRACE:
        _after_late_question(questions_of(letter), letter, now)


def _was_due(letter: Letter) -> datetime:
    """When the letter should have left; its row says so until an attempt fails."""
    if letter.attempts <= 1:
        return letter.not_before
    if letter.to_user is None or letter.kind == "your_turn":
        return letter.created_at + settings.LETTER_HOLD
    return letter_due(letter.to_user, letter.created_at, letter.created_at) or letter.created_at


def _after_late_question(questions: Iterable[tuple[int, int, int]], letter: Letter, now: datetime) -> None:
    for game_pk, number, asked_at in sorted(questions):
        game = _held(game_pk, now)
        seat = _asked(game, number, asked_at, letter) if game else None
        if game is not None and seat is not None:
            _begin_anew(game, seat, now)


def _begin_anew(game: Game, seat: Seat, now: datetime) -> None:
    """The question has its whole time again, and no less in reserve than it had."""
    pace, asked_since = pace_of(game.table), seat.asked_since
    if pace is None or asked_since is None or now - asked_since <= GRACE:
        return  # asked a moment ago, of the questions that a letter collects
    late = now - asked_since

    def anew(countdown: Countdown, _calendars: Calendars) -> Countdown:
        begins = max(now, countdown.counted_from)  # later than now in a pause
        time_left = max(pace.per_question, countdown.time_left)
        reserve = NO_TIME if seat.asked_kind == HIDDEN else _reserve_before(countdown, pace, late)
        return Countdown(begins, time_left, reserve)

    change_countdowns(game, now, anew, of=lambda one: one.pk == seat.pk)
    note_credit(game, seat, late, now)


def _reserve_before(countdown: Countdown, pace: Pace, late: timedelta) -> timedelta:
    """What was in reserve at the asking: all that is, unless the question's own time was found used up."""
    if countdown.time_left > NO_TIME:
        return countdown.reserve
    return min(pace.reserve, countdown.reserve + late)


def _after_reminder(letter: Letter, now: datetime) -> None:
    """Who was reminded too late for the reminder to help gets enough time to answer."""
    game = _held(letter.about["game"], now)
    seat = _asked(game, letter.about["seat"], letter.about["asked_at"], letter) if game else None
    if game is None or seat is None:
        return
    lead = datetime.fromisoformat(letter.about["due_at"]) - letter.created_at
    least = min(AFTER_A_REMINDER, lead)
    if now - letter.created_at <= GRACE or seat.due_at is None or seat.due_at - now >= least:
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


def _asked(game: Game, number: int, asked_at: int, letter: Letter) -> Seat | None:
    """The seat, if the letter's reader is still asked that there, by the clock."""
    open_questions = Seat.objects.filter(table_id=game.table_id, user=letter.to_user, due_at__isnull=False)
    return open_questions.filter(number=number, asked_at=asked_at).first()
