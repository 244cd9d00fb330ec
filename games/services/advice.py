"""What Strategist would play: asked by a player at a practice table, thought about by a clock task."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from random import choice

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts import clock
from accounts.full_disk import raise_if_full
from accounts.row_locks import update_free
from games.bots import choose
from games.bots.strategist import KnownCards
from games.bots.thinker import advice_on
from games.clocks.due import never
from games.models import Advice, Game, Seat
from games.models.locking import Refused, locked_for, require_running
from games.rules import observe, pending, redact
from games.services.play_on import may_take_back
from games.services.progress import Progress
from games.services.strategist import FRONT, THOUGHT_LASTS, is_any_turn_waiting
from games.services.thinking_process import THINKER, NoThought

logger = logging.getLogger(__name__)


@transaction.atomic
def ask_advice(game: Game, seat: Seat) -> None:
    """Ask what Strategist would play now, at a table for practice against bots alone. Safe to repeat.

    Raises Refused where no one advises, or the seat has nothing to decide.
    """
    game = locked_for(game, seat)
    require_running(game)
    is_asked = game.table.seats.filter(pk=seat.pk, decision_step__isnull=False).exists()
    if not settings.STRATEGIST or not may_take_back(game, seat) or not is_asked:
        raise Refused(_("Strategist can’t advise you here."))
    question, _made = Advice.objects.get_or_create(
        game=game, ply=game.ply, seat=seat.number, defaults={"asked_at": clock.now()}
    )
    if question.answer is None:
        question.asked_at = clock.now()
        question.save(update_fields=["asked_at"])


def is_waiting(question: Advice, now: datetime) -> bool:
    """Return whether an answer can still be expected."""
    return question.answer is None and question.asked_at > now - THOUGHT_LASTS


def is_anyone_waiting() -> bool:
    """Return whether a game or a player waits for a thought."""
    now = clock.now()
    return _waiting(now).exists() or is_any_turn_waiting(now)


def advise(now: datetime, is_over: Callable[[], bool] = never) -> int:
    """Answer the questions that wait, those first that have long waited; return how many."""
    answered, failed = 0, set[int]()
    if not settings.STRATEGIST:
        return 0
    waiting = _waiting(now).select_related("game__table").order_by("asked_at", "pk")
    while not is_over() and (next_ones := waiting.exclude(pk__in=failed)[:FRONT]):
        question = choice(next_ones)  # noqa: S311 - any will do
        if _answered_or_logged(question):
            answered += 1
        else:
            failed.add(question.pk)
    return answered


def _waiting(now: datetime) -> QuerySet[Advice]:
    return Advice.objects.filter(answer__isnull=True, asked_at__gt=now - THOUGHT_LASTS)


def _answered_or_logged(question: Advice) -> int:
    try:
        answer = _answer(question)
    except Exception as error:  # whatever is wrong with one game, the others are advised
        raise_if_full(error)
        logger.exception("no advice for game %s", question.game_id)
        return 0
    return update_free(Advice.objects.filter(pk=question.pk, answer__isnull=True), answer=answer)


def _answer(question: Advice) -> dict[str, object]:
    """Return what Strategist would play, or where it has no thought, Captain; nothing once it's too late."""
    game, progress = question.game, Progress.of(question.game)
    if progress.state.ply != question.ply or all(
        one.seat != question.seat for one in pending(progress.state)
    ):
        return {}
    seen = observe(progress.state, question.seat)
    known = KnownCards.none(game.players).after(redact(progress.since(0), question.seat))
    try:
        tried = THINKER.ask(advice_on, seen, known, f"{game.key.hex()}/{question.ply}")
    except NoThought as error:
        logger.warning("Captain advises for Strategist in game %s: %s", game.pk, error)
        return {"bot": Seat.Bot.CAPTAIN, "move": str(choose(Seat.Bot.CAPTAIN, seen))}
    return {
        "bot": Seat.Bot.STRATEGIST,
        "move": tried.move,
        "chance": round(tried.chances[question.seat], 3),
        **tried.reasons,
    }
