"""Open sealed notes. Only events that everyone saw count, so that opening reveals nothing else (R17)."""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction
from django.db.models import F, Q, QuerySet

from accounts.full_disk import raise_if_full
from accounts.row_locks import free
from games.chat.models import Message, SealedNote
from games.chat.services.messages import add
from games.chat.services.sealed_notes import closed_notes
from games.chat.text import rendered
from games.models import Game, Table
from games.models.replay import replayed
from games.rules import BattleCompared, BattleStopped, Event, RegionConquered, Replay, redact

logger = logging.getLogger(__name__)

HAPPENED, TOO_LATE = "happened", "game over"  # why a note was opened: Message.event


def open_sealed_notes(now: datetime) -> int:
    """Open every sealed note whose event has happened, or whose game is over; return how many.

    Safe to repeat and to run twice at once: each note is checked again under its game's lock. Each has its
    own transaction, because each notifies people in the order of their numbers.
    """
    seals = _moved_on().order_by("game", "pk").values_list("pk", "game")
    return sum(_open_or_log(seal, game, now) for seal, game in list(seals))


def _open_or_log(seal: int, game: int, now: datetime) -> bool:
    try:
        return _open_if_due(seal, game, now)
    except Exception as error:  # if one game fails, notes of the others must still open
        raise_if_full(error)
        logger.exception("the sealed note %s of game %s could not be checked", seal, game)
        return False


def _moved_on() -> QuerySet[SealedNote]:
    """Return the notes of games in which everyone has seen something new since the last check."""
    return closed_notes().filter(Q(game__ended_at__isnull=False) | Q(game__step__gt=F("checked_step")))


@transaction.atomic
def _open_if_due(pk: int, game_id: int, now: datetime) -> bool:
    game = free(Game.objects.select_related("table").filter(pk=game_id)).first()
    if game is None or not free(Table.objects.filter(pk=game.table_id)):
        return False
    seal = closed_notes().select_related("message__channel", "message__author").filter(pk=pk).first()
    return seal is not None and _open_or_record(seal, game, replayed(game), now)


def _open_or_record(seal: SealedNote, game: Game, played: Replay, now: datetime) -> bool:
    """Return whether the note is open now; if not, record how far the game was checked."""
    author = seal.message.author
    if author is None or author.deleted_at is not None:  # sealed while the account was being deleted
        SealedNote.objects.filter(pk=seal.pk).update(text="", opened_at=now)
        return False
    step = event_step(seal, game, played)
    if step is not None:
        _open(seal, HAPPENED, step, now)
    elif game.is_over:
        _open(seal, TOO_LATE, played.state.step, now)
    else:
        SealedNote.objects.filter(pk=seal.pk).update(checked_step=played.state.step)
    return seal.opened is not None


def event_step(seal: SealedNote, game: Game, played: Replay) -> int | None:
    """Return the step at which everyone had seen the note's event, after it was sealed; None: not yet."""
    if seal.opens == SealedNote.Opens.GAME:
        return played.state.step if game.is_over else None
    for ply in range(seal.made_ply, len(played.plies)):
        if any(_is_it(seal, event) for event in redact(played.plies[ply].events, None)):
            return played.states[ply + 1].step
    return None


def _is_it(seal: SealedNote, event: Event) -> bool:
    if seal.opens == SealedNote.Opens.BATTLE:
        return isinstance(event, BattleCompared | BattleStopped)
    return isinstance(event, RegionConquered) and event.region == seal.region


def _open(seal: SealedNote, why: str, step: int, now: datetime) -> None:
    """Move the words from the sealed note into a message. No message contained them before."""
    words = seal.text
    seal.opened = add(
        seal.message.channel,
        has_read=False,
        author=seal.message.author,
        kind=Message.Kind.OPENED,
        event=why,
        text=words,
        html=rendered(words),
    )
    seal.text, seal.opened_at, seal.checked_step = "", now, step
    seal.save(update_fields=["opened", "text", "opened_at", "checked_step"])
