"""Analyses of finished games: asked for by a button, made by a clock task, move by move.

What was judged is stored every few seconds. So a worker that is killed loses little.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from copy import deepcopy
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts import clock
from accounts.full_disk import raise_if_full
from accounts.row_locks import update_free
from games.bots.analysis import Cost, Question, costliest, open_question, questions_of
from games.bots.strategist import MoveJudgement, judge_openly, outlook
from games.bots.thinker import judgement_on
from games.clocks.due import never
from games.models import Analysis, Game
from games.models.locking import Refused
from games.models.replay import replayed
from games.rules import Replay
from games.services.thinking_process import THINKER, NoThought

logger = logging.getLogger(__name__)

DAY = timedelta(days=1)
STORED_EVERY = 2.0  # seconds
TRIES = 3  # of a question: no one waits for the next move, and a gap would stay


@transaction.atomic
def ask_analysis(game: Game) -> None:
    """Ask for the analysis of a finished game, or again for one with gaps. Safe to repeat.

    Raises Refused if the game runs, Strategist is switched off or too many were asked for within a day.
    """
    if not settings.STRATEGIST or not game.is_over:
        raise Refused(_("This game can’t be analysed."))
    found = Analysis.objects.filter(game=game).first()
    if found is not None and not found.has_gaps:
        return
    now = clock.now()
    if Analysis.objects.filter(asked_at__gt=now - DAY).count() >= settings.ANALYSES_A_DAY:
        raise Refused(_("The site has no time for more analyses today. Try again tomorrow."))
    if found is None:
        Analysis.objects.get_or_create(game=game, defaults={"asked_at": now})
    else:
        again = Analysis.objects.filter(pk=found.pk, ended_at=found.ended_at)
        update_free(again, asked_at=now, judged=[], ended_at=None)


def analyse(
    now: datetime, is_over: Callable[[], bool] = never, has_others: Callable[[], bool] = never
) -> int:
    """Go on with the analyses that aren't finished, the oldest first; return how many ended.

    Stops when `is_over` returns True, or `has_others` because someone waits for another thought.
    """
    ended = 0
    if not settings.STRATEGIST:
        return 0
    unfinished = Analysis.objects.filter(ended_at=None).select_related("game__table")
    for analysis in unfinished.order_by("asked_at", "pk"):
        if is_over() or has_others():
            break
        try:
            ended += _judge_next_moves(analysis, now, lambda: is_over() or has_others())
        except Exception as error:  # whatever is wrong with one game, the others are analysed
            raise_if_full(error)
            logger.exception("game %s could not be analysed", analysis.game_id)
            update_free(_same(analysis), judged=[], ended_at=now)  # no part that looks like the whole
    return ended


def _same(analysis: Analysis) -> QuerySet[Analysis]:
    return Analysis.objects.filter(pk=analysis.pk, ended_at=None)


def _judge_next_moves(analysis: Analysis, now: datetime, must_stop: Callable[[], bool]) -> int:
    """Judge the next moves, and store what was judged; return 1 if these were the last."""
    game = analysis.game
    judged: list[dict[str, Any]] = deepcopy(analysis.judged)
    after = judged[-1]["ply"] if judged else max(game.copied_entries - 1, -1)
    stored_at = time.monotonic()
    played = replayed(game)
    for question in questions_of(played, game.players, after):
        if must_stop():
            _store(analysis, judged)
            return 0
        judged.append(_judged(game, question))
        if time.monotonic() > stored_at + STORED_EVERY:
            if not _store(analysis, judged):
                return 0
            stored_at = time.monotonic()
    _open_hands(game, played, judged)
    return _store(analysis, judged, ended_at=now)


def _store(analysis: Analysis, judged: list[dict[str, Any]], **more: object) -> int:
    """Store what was judged since it was last stored; return 0 if another worker has judged on meanwhile."""
    stored = update_free(_same(analysis).filter(judged=analysis.judged), judged=judged, **more)
    analysis.judged = deepcopy(judged)  # what is noted of open hands changes the others
    return stored


def _open_hands(game: Game, played: Replay, judged: Iterable[dict[str, Any]]) -> None:
    """Note what would have been best, with all hands open, at the decisions that cost most."""
    by_ply = {one["ply"]: one for one in judged if "loss" in one}
    for cost in costliest([Cost(ply, one["loss"]) for ply, one in by_ply.items()]):
        question = open_question(played, cost.ply)
        if question is None:
            continue
        seen, hands, down, move = question
        try:
            found = THINKER.ask(judge_openly, seen, hands, down, move)
        except NoThought as error:
            logger.warning("no open hands for a move of game %s: %s", game.pk, error)
            continue
        best, made = found.best.chances[found.seat], found.made.chances[found.seat]
        by_ply[cost.ply]["open"] = {"best": found.best.move, "chance": round(best, 3), "now": round(made, 3)}


def _judged(game: Game, question: Question) -> dict[str, Any]:
    """Return what Strategist thinks of a move; only its place if it can't think."""
    try:
        return {"ply": question.ply, "seat": question.seen.seat, **_thought(game, question)}
    except NoThought as error:
        logger.warning("a move of game %s could not be judged: %s", game.pk, error)
        return {"ply": question.ply}


def _thought(game: Game, question: Question) -> dict[str, Any]:
    """Return the chances after a move and, if it was a choice, what Strategist would have done."""
    seed = f"{game.pk}/{question.ply}"
    after = [round(chance, 3) for chance in _answer(outlook, question.views_after, seed)]
    if not question.is_choice:
        return {"chances": after}
    found: MoveJudgement = _answer(judgement_on, question.seen, question.known, seed, question.move)
    return {
        "chances": after,
        "loss": round(max(found.loss, 0.0), 3),
        "best": found.best.move,
        "chance": round(found.best.chances[found.seat], 3),
        "now": round(found.made.chances[found.seat], 3),
        **found.best.reasons,
    }


def _answer(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return Strategist's answer; try again if its process died. Raises NoThought."""
    for _again in range(TRIES - 1):
        try:
            return THINKER.ask(function, *arguments)
        except NoThought as error:
            logger.warning("Strategist is asked again: %s", error)
    return THINKER.ask(function, *arguments)
