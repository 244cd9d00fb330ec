"""Marks what was promised as kept or broken when the table has seen it happen, and tells its circle.

Reads first, then locks the table and looks again: what was marked stays marked, so two beats are harmless.
"""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction
from django.db.models import F, Q

from accounts import present
from games.models import Game
from games.pledges import OPEN, counted, judge
from games.pledges import Pledge as Promised
from games.press.commands.adding import add, locked_table
from games.press.commands.bargaining import has_lost_somebody
from games.press.courses import Course, course_of, course_since
from games.press.models import LOOKED_FOR_GOOD, Bargain, Message, Pledge
from games.replaying import BrokenLog

logger = logging.getLogger(__name__)

State = Bargain.State


def judge_bargains() -> int:
    """Looks at the bargains of all games that have moved on; returns how many were looked at."""
    moved_on = Q(game__step__gt=F("looked_step")) | Q(game__ended_at__isnull=False)
    waiting = Bargain.objects.filter(moved_on, looked_step__lt=LOOKED_FOR_GOOD)
    games = waiting.order_by("game").values_list("game", "game__table").distinct()
    return sum(_look_at_game(game, table) for game, table in list(games))


def _look_at_game(game_id: int, table_id: int) -> int:
    try:
        with transaction.atomic():
            return _look_again(game_id, table_id)
    except BrokenLog as broken:
        logger.error("the bargains of game %d are not judged: %s", game_id, broken)
        return 0


def _look_again(game_id: int, table_id: int) -> int:
    table = locked_table(table_id)
    game = Game.objects.get(pk=game_id)  # before its log: a game that is over has all of it
    game.table = table
    bargains = Bargain.objects.filter(game=game, looked_step__lt=LOOKED_FOR_GOOD).select_related("circle")
    looked = list(bargains.order_by("pk"))
    for bargain in looked:
        bargain.game, bargain.circle.table = game, table
        if bargain.state == State.STANDING:
            _judge(bargain)
        else:
            _lapse_if_too_late(bargain)
    return len(looked)


def _lapse_if_too_late(bargain: Bargain) -> None:
    """What was not accepted in time never will be."""
    game = bargain.game
    if game.is_over or has_lost_somebody(bargain) or _is_past(bargain, course_of(game)):
        bargain.state, bargain.looked_step = State.LAPSED, LOOKED_FOR_GOOD
        bargain.save(update_fields=["state", "looked_step"])
        _tell(bargain, "lapsed")
        return
    _looked(bargain, game.step)


def _is_past(bargain: Bargain, course: Course) -> bool:
    count = counted(course)
    past = {Bargain.Until.ROUND: count.rounds, Bargain.Until.BATTLE: count.battles}
    return past.get(Bargain.Until(bargain.until), -1) >= (bargain.until_number or 0)


def _judge(bargain: Bargain) -> None:
    assert bargain.stands_from is not None
    course = course_since(bargain.game, _stood_at(bargain))
    promised = [pledge for pledge in bargain.pledges.all() if pledge.kind != Pledge.Kind.WORDS]
    for number, pledge in enumerate(promised, 1):
        if pledge.state == OPEN:
            _judge_one(bargain, pledge, number, course)
    is_done = all(pledge.state != OPEN for pledge in promised)
    _looked(bargain, LOOKED_FOR_GOOD if is_done or bargain.game.is_over else bargain.game.step)


def _stood_at(bargain: Bargain) -> datetime:
    """When the last of its parties accepted it."""
    return max(party.answered_at for party in bargain.parties.all() if party.answered_at is not None)


def _judge_one(bargain: Bargain, pledge: Pledge, number: int, course: Course) -> None:
    judgement = judge(promised_by(pledge, bargain), course)
    if judgement.state == OPEN:
        return
    pledge.state, pledge.judged_at, pledge.judged_step = judgement.state, present.now(), judgement.step
    pledge.save(update_fields=["state", "judged_at", "judged_step"])
    _tell(bargain, f"{pledge.state} {number}")


def promised_by(pledge: Pledge, bargain: Bargain) -> Promised:
    """The stored pledge as the pure room knows it."""
    limit = {str(bargain.until): bargain.until_number}
    return Promised(
        seat=pledge.seat,
        kind=pledge.kind,
        stands_from=bargain.stands_from or 0,
        region=pledge.region or None,
        rounds=limit.get(Bargain.Until.ROUND),
        battles=limit.get(Bargain.Until.BATTLE),
    )


def _looked(bargain: Bargain, step: int) -> None:
    bargain.looked_step = step
    bargain.save(update_fields=["looked_step"])


def _tell(bargain: Bargain, event: str) -> None:
    """In the name of the table; also after the end, when nobody else says anything there any more."""
    add(bargain.circle, author=None, kind=Message.Kind.BARGAIN, event=event, bargain=bargain)
