"""Strategist's turns: found by a clock task, thought about without any lock, played like other moves.

No request thinks. While Strategist thinks, its seat has a pending decision, as a person's has; no one is
emailed, and no clock runs. Where there is no thought, Captain plays.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from random import choice

from django.conf import settings
from django.db import transaction

from accounts.full_disk import raise_if_full
from accounts.row_locks import free
from games.bots import choose
from games.bots.strategist import KnownCards
from games.bots.thinker import think_of_move
from games.clocks.due import never
from games.models import Game, LogEntry, Seat, SeatQuerySet
from games.models.locking import Refused
from games.rules import Move, observe, redact
from games.services.moves import NotAsked, submit_move
from games.services.progress import Progress
from games.services.thinking_process import THINKER, NoThought

logger = logging.getLogger(__name__)

THOUGHT_LASTS = timedelta(minutes=2)  # then Captain plays
FRONT = 8  # of the queue: any of these is next, so that two workers seldom think about the same


def think(now: datetime, is_over: Callable[[], bool] = never) -> int:
    """Think about the turns of all Strategists that have one, those first that have long waited.

    Return how many. A game in which it fails is left to a later run, and at last to the clock. When `is_over`
    returns True, so is the rest.
    """
    played, failed = 0, set[int]()
    if not settings.STRATEGIST:
        return 0
    while not is_over() and (waiting := _in_time(now).exclude(pk__in=failed)[:FRONT]):
        seat = choice(waiting)  # noqa: S311 - any will do
        if _done_or_logged(seat, _thought):
            played += 1
        else:
            failed.add(seat.pk)
    return played


def play_for_late_thoughts(now: datetime, is_over: Callable[[], bool] = never) -> int:
    """Let Captain play where a thought is late, or where Strategist was switched off; return how many."""
    late = _waiting()
    if settings.STRATEGIST:
        late = late.filter(asked_since__lte=now - THOUGHT_LASTS)
    reason = f"no answer within {THOUGHT_LASTS}" if settings.STRATEGIST else "it is switched off"
    played = 0
    for seat in late:
        if is_over():
            break
        if _done_or_logged(seat, _captains):
            logger.warning("Captain played for Strategist at seat %s: %s", seat.pk, reason)
            played += 1
    return played


def is_any_turn_waiting(now: datetime) -> bool:
    """Return whether a Strategist has to think about its turn."""
    return _in_time(now).exists()


def _in_time(now: datetime) -> SeatQuerySet:
    """Return the waiting seats for which the clock does not play yet."""
    return _waiting().filter(asked_since__gt=now - THOUGHT_LASTS)


def _waiting() -> SeatQuerySet:
    """Return the seats in which Strategist must decide, the longest waiting first."""
    waiting = Seat.objects.filter(user=None, bot=Seat.Bot.STRATEGIST, asked_since__isnull=False)
    return waiting.select_related("table", "user").order_by("asked_since", "pk")


Choice = tuple[Move, LogEntry.ChosenBy]


def _done_or_logged(seat: Seat, choose_for: Callable[[Game, Progress, Seat], Choice]) -> bool:
    try:
        return _play(seat, choose_for)
    except Exception as error:  # whatever is wrong with one game, the others go on
        raise_if_full(error)
        logger.exception("no bot could play for seat %s", seat.pk)
        return False


def _play(seat: Seat, choose_for: Callable[[Game, Progress, Seat], Choice]) -> bool:
    """Choose a move for the seat, then play it, unless the game has moved on or another process holds it."""
    game = Game.objects.running().select_related("table").filter(table=seat.table_id).last()
    if game is None or seat.decision_step is None:
        return False
    move, chosen_by = choose_for(game, Progress.of(game), seat)
    with transaction.atomic():
        if not free(Game.objects.filter(pk=game.pk)):
            return False
        try:
            submit_move(game.pk, seat, move, seat.decision_step, LogEntry.Via.BOT, chosen_by=chosen_by)
        except (NotAsked, Refused):
            logger.info("a thought came too late: seat %s", seat.pk)
            return False
    return True


def _captains(_game: Game, progress: Progress, seat: Seat) -> Choice:
    return choose(Seat.Bot.CAPTAIN, observe(progress.state, seat.number)), LogEntry.ChosenBy.STAND_IN


def _thought(game: Game, progress: Progress, seat: Seat) -> Choice:
    """Return Strategist's move; Captain's if there is no thought."""
    known = KnownCards.none(game.players).after(redact(progress.since(0), seat.number))
    try:
        seen = observe(progress.state, seat.number)
        move = THINKER.ask(think_of_move, seen, known, f"{game.key.hex()}/{progress.state.ply}")
    except NoThought as error:
        logger.warning("Captain plays for Strategist at seat %s: %s", seat.pk, error)
        return _captains(game, progress, seat)
    return move, LogEntry.ChosenBy.STRATEGIST
