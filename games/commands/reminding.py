"""Reminds people of their deadlines: a tick that looks at the seats whose moment has come.

Seats keep the next moment (games.countdowns.next_reminder); nothing here plays or moves a deadline.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction

from accounts.models import User
from accounts.post.models import Letter
from accounts.post.outbox import queue
from games.clock import Countdown
from games.commands.due import DueSeats, never
from games.commands.telling import letter_about, tell_again
from games.commands.timing import give_back, give_outages_back
from games.countdowns import Calendars, next_reminder, settled
from games.models import Game, Seat

logger = logging.getLogger(__name__)

TIME_TO_BE_REMINDED = timedelta(hours=2)  # open time, for who could not be reminded before


_due = DueSeats("remind_at")


def remind_due(now: datetime, is_over: Callable[[], bool] = never) -> int:
    """Queue the reminders whose moment has come; how many. Twice, or two at once, is once.

    What is left when `is_over` is the next tick's.
    """
    return _due.each(_remind_safely, now, is_over)


def leads_changed(user: User, now: datetime) -> None:
    """They want emails at other moments: about their open questions too, from now on.

    Called in the transaction that changes them.
    """
    mine = Seat.objects.filter(user=user, asked_since__isnull=False)
    games = Game.objects.running().filter(table__in=mine.values("table")).order_by("pk")
    for game in games.select_for_update(of=("self",)):
        for seat in mine.filter(table_id=game.table_id):
            _note(seat, next_reminder(user, seat, now))
            if not user.gets_no_emails:
                seat.user = user
                tell_again(game, seat)


def _locked_game(seat: int, now: datetime) -> Game | None:
    """The game that runs at this seat's table, held until the transaction ends."""
    game = Game.objects.running().select_for_update(of=("self",)).filter(table__seats=seat).first()
    if game is not None:
        give_outages_back(game, now)
    return game


def _remind_safely(pk: int, now: datetime) -> bool:
    """One seat that cannot be reminded stops no other."""
    try:
        return _remind(pk, now)
    except Exception:  # logged; the tick goes on to the others
        logger.exception("seat %s could not be reminded", pk)
        return False


@transaction.atomic
def _remind(pk: int, now: datetime) -> bool:
    """Look again under the game's lock, queue the reminder, note the next moment. True if queued."""
    game = _locked_game(pk, now)
    seat = Seat.objects.select_related("user").get(pk=pk)
    if seat.remind_at is None or seat.remind_at > now:
        return False
    if game is None or seat.due_at is None or seat.stand_in:
        return _note(seat, None)
    untold = _untold(game, seat)
    if untold is None and seat.due_at <= now:
        return _give_time(game, seat, now)
    if untold is None:
        _queue_reminder(game, seat, seat.due_at)
        _note(seat, next_reminder(seat.person, seat, now))
        return True
    if untold.attempts or untold.not_before <= now:
        return False  # the question's own letter is on its way, and goes first
    _tell_now(untold, now)
    return _note(seat, next_reminder(seat.person, seat, now) or now + (seat.due_at - now) / 2)


def _note(seat: Seat, moment: datetime | None) -> bool:
    seat.remind_at = moment
    seat.save(update_fields=["remind_at"])
    return False


def _give_time(game: Game, seat: Seat, now: datetime) -> bool:
    """Nobody looked while he was to be reminded, and his time went by: that is not his fault. He gets some,
    and is reminded on the way."""

    def with_some(countdown: Countdown, calendars: Calendars) -> Countdown:
        return settled(countdown, calendars, now).extended(TIME_TO_BE_REMINDED)

    give_back(game, seat, with_some, now)
    return False


def _untold(game: Game, seat: Seat) -> Letter | None:
    """The letter that is to tell of the question first, while it has not gone."""
    letter = letter_about(game, seat)
    return letter if letter is not None and letter.state == Letter.State.QUEUED else None


def _tell_now(letter: Letter, now: datetime) -> None:
    """A letter that waits for its person's hour does not wait longer than his first reminder would."""
    Letter.objects.filter(pk=letter.pk, state=Letter.State.QUEUED, attempts=0).update(not_before=now)


def _queue_reminder(game: Game, seat: Seat, due_at: datetime) -> None:
    """One for each lead and deadline: if the deadline is moved, its reminders are others."""
    assert seat.remind_at is not None
    lead = due_at - seat.remind_at
    question = f"{game.pk}:{seat.number}:{seat.asked_at}:{seat.user_id}"
    queue(
        "reminder",
        to=seat.person,
        key=f"reminder:{question}:{due_at.timestamp():.0f}:{lead.total_seconds():.0f}",
        about={
            "game": game.pk,
            "seat": seat.number,
            "asked_at": seat.asked_at,
            "due_at": due_at.isoformat(),
        },
    )
