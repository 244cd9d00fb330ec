"""Opens sealed letters whose event has happened, and withdraws those of a person who is deleted.

Only what the whole table has seen counts: the moment at which a letter opens tells nothing else (R17).
"""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction
from django.db.models import F, Q, QuerySet

from accounts import present
from accounts.models import User
from games.commands.locking import locked_game
from games.models import Game, Table
from games.press.commands.adding import add, locked_table
from games.press.models import Message, Seal
from games.press.text.rendering import rendered
from games.replaying import replayed
from games.rules import BattleCompared, BattleStopped, Event, RegionConquered, Replay, redact

logger = logging.getLogger(__name__)

HAPPENED, TOO_LATE = "happened", "game over"  # why a letter was opened: Message.event


def open_seals(now: datetime) -> int:
    """Opens every sealed letter whose event has happened, and all of a game that is over; returns how many.

    Twice is once, also at the same moment: each is looked at again under its game's lock. Each is told of in
    a transaction of its own, for in each people are told in the order of their numbers.
    """
    seals = _moved_on().order_by("game", "pk").values_list("pk", "game")
    return sum(_open_or_log(seal, game, now) for seal, game in list(seals))


def _open_or_log(seal: int, game: int, now: datetime) -> bool:
    try:
        return _open_if_due(seal, game, now)
    except Exception:  # whatever is wrong with one game, the others' letters open
        logger.exception("the sealed letter %s of game %s could not be looked at", seal, game)
        return False


def _closed() -> QuerySet[Seal]:
    return Seal.objects.filter(opened_at__isnull=True)


def _moved_on() -> QuerySet[Seal]:
    """Letters of games in which the table has seen something since they were looked at."""
    return _closed().filter(Q(game__ended_at__isnull=False) | Q(game__step__gt=F("looked_step")))


@transaction.atomic
def _open_if_due(pk: int, game_id: int, now: datetime) -> bool:
    game = locked_game(Game(pk=game_id))
    locked_table(game.table_id)
    seal = _closed().select_related("message__circle", "message__author").filter(pk=pk).first()
    return seal is not None and _look_at(seal, game, replayed(game), now)


def _look_at(seal: Seal, game: Game, played: Replay, now: datetime) -> bool:
    """Whether the letter is open now; if not, it is written down how far was looked."""
    author = seal.message.author
    if author is None or author.deleted_at is not None:  # while he was being deleted, he sealed it
        Seal.objects.filter(pk=seal.pk).update(text="", opened_at=now)
        return False
    step = event_step(seal, game, played)
    if step is not None:
        _open(seal, HAPPENED, step, now)
    elif game.is_over:
        _open(seal, TOO_LATE, played.state.step, now)
    else:
        Seal.objects.filter(pk=seal.pk).update(looked_step=played.state.step)
    return seal.opened is not None


def event_step(seal: Seal, game: Game, played: Replay) -> int | None:
    """The step at which the whole table had seen the letter's event, after it was sealed; None: not yet."""
    if seal.opens == Seal.Opens.GAME:
        return played.state.step if game.is_over else None
    for ply in range(seal.made_ply, len(played.plies)):
        if any(_is_it(seal, event) for event in redact(played.plies[ply].events, None)):
            return played.states[ply + 1].step
    return None


def _is_it(seal: Seal, event: Event) -> bool:
    if seal.opens == Seal.Opens.BATTLE:
        return isinstance(event, BattleCompared | BattleStopped)
    return isinstance(event, RegionConquered) and event.region == seal.region


def _open(seal: Seal, why: str, step: int, now: datetime) -> None:
    """The words go from the seal into a message, which they have never been in before."""
    words = seal.text
    seal.opened = add(
        seal.message.circle,
        has_read=False,
        author=seal.message.author,
        kind=Message.Kind.OPENED,
        event=why,
        text=words,
        html=rendered(words),
    )
    seal.text, seal.opened_at, seal.looked_step = "", now, step
    seal.save(update_fields=["opened", "text", "opened_at", "looked_step"])


@transaction.atomic
def withdraw_seals(user: User) -> None:
    """Empties the letters of a person who is being deleted that have not been opened: they never will be.

    The games' rows are held before, as for every other change of theirs, and with them those in which he will
    give up his seat: always in the order of the tables.
    """
    mine = _closed().filter(message__author=user)
    if not mine.exists():
        return
    his = Q(seals__in=mine) | Q(table__seats__user=user, table__state=Table.State.PLAYING, ended_at=None)
    games = Game.objects.filter(pk__in=Game.objects.filter(his).values("pk")).order_by("table", "pk")
    list(games.select_for_update(of=("self",)))
    mine.update(text="", opened_at=present.now())
