"""Judge the promises of deals: read, then lock the table and check again.

Verdicts are final, so two ticks at once do no harm.
"""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction
from django.db.models import F, Q

from accounts import clock
from accounts.row_locks import free
from games.chat.models import CHECKED_FOR_GOOD, Deal, DealPromise
from games.chat.observed_course import Count
from games.chat.promise_course import Course, course_since, progress_of
from games.chat.promises import OPEN, Promise, judge
from games.chat.services.deals import announce, has_lost_somebody
from games.models import Game, Table
from games.models.replay import BrokenLog

logger = logging.getLogger(__name__)


def judge_deals() -> int:
    """Judge the deals of all games that have moved on; return how many deals were checked."""
    moved_on = Q(game__step__gt=F("checked_step")) | Q(game__ended_at__isnull=False)
    waiting = Deal.objects.filter(moved_on, checked_step__lt=CHECKED_FOR_GOOD)
    games = waiting.order_by("game").values_list("game", "game__table").distinct()
    return sum(_check_game(game, table) for game, table in list(games))


def _check_game(game_id: int, table_id: int) -> int:
    try:
        with transaction.atomic():
            return _check_locked(game_id, table_id)
    except BrokenLog as broken:
        logger.error("the deals of game %d are not judged: %s", game_id, broken)
        return 0


def _check_locked(game_id: int, table_id: int) -> int:
    table = free(Table.objects.filter(pk=table_id)).first()
    if table is None:
        return 0
    game = Game.objects.get(pk=game_id)  # before its log: the log of a finished game is then complete
    game.table = table
    deals = Deal.objects.filter(game=game, checked_step__lt=CHECKED_FOR_GOOD).select_related("channel")
    checked = list(deals.order_by("pk"))
    for deal in checked:
        deal.game, deal.channel.table = game, table
        if deal.state == Deal.State.STANDING:
            _judge(deal)
        else:
            _lapse_if_too_late(deal)
    return len(checked)


def _lapse_if_too_late(deal: Deal) -> None:
    """End a deal that was not accepted in time."""
    game = deal.game
    if game.is_over or has_lost_somebody(deal) or _is_past(deal, progress_of(game)):
        deal.state, deal.checked_step = Deal.State.LAPSED, CHECKED_FOR_GOOD
        deal.save(update_fields=["state", "checked_step"])
        announce(deal, "lapsed", None)
        return
    _record_check(deal, game.step)


def _is_past(deal: Deal, count: Count) -> bool:
    past = {Deal.Until.ROUND: count.rounds, Deal.Until.BATTLE: count.battles}
    return past.get(Deal.Until(deal.until), -1) >= (deal.until_number or 0)


def _judge(deal: Deal) -> None:
    assert deal.stands_from is not None
    course = course_since(deal.game, _stood_at(deal))
    promised = deal.judged
    for number, promise in enumerate(promised, 1):
        if promise.state == OPEN:
            _judge_one(deal, promise, number, course)
    is_done = all(promise.state != OPEN for promise in promised)
    _record_check(deal, CHECKED_FOR_GOOD if is_done or deal.game.is_over else deal.game.step)


def _stood_at(deal: Deal) -> datetime:
    """Return when the last party accepted the deal."""
    return max(party.answered_at for party in deal.parties.all() if party.answered_at is not None)


def _judge_one(deal: Deal, promise: DealPromise, number: int, course: Course) -> None:
    judgement = judge(promised_by(promise, deal), course)
    if judgement.state == OPEN:
        return
    promise.state, promise.judged_at, promise.judged_step = judgement.state, clock.now(), judgement.step
    promise.save(update_fields=["state", "judged_at", "judged_step"])
    announce(deal, f"{promise.state} {number}", None)


def promised_by(promise: DealPromise, deal: Deal) -> Promise:
    """Convert a stored promise into the value that games.chat.promises judges."""
    limit = {str(deal.until): deal.until_number}
    return Promise(
        seat=promise.seat,
        kind=promise.kind,
        stands_from=deal.stands_from or 0,
        region=promise.region or None,
        rounds=limit.get(Deal.Until.ROUND),
        battles=limit.get(Deal.Until.BATTLE),
    )


def _record_check(deal: Deal, step: int) -> None:
    deal.checked_step = step
    deal.save(update_fields=["checked_step"])
