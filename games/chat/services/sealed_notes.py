"""Sealed notes: words no one else can read before an event, proven unchanged when they open."""

from __future__ import annotations

import logging
import secrets
from datetime import datetime
from hashlib import sha256

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from games.chat.models import Channel, Message, SealedNote
from games.chat.services.messages import add, count_message, locked_table, require_pace, require_voice
from games.chat.text import rendered
from games.map.region_names import region_name
from games.models import Game, Seat, Table
from games.models.locking import locked_game, locked_seat
from games.models.replay import replayed
from games.rules import (
    REGIONS,
    BattleCompared,
    BattleStopped,
    Event,
    RegionConquered,
    Replay,
    State,
    observe,
    redact,
)
from games.services import Refused

logger = logging.getLogger(__name__)

HAPPENED, TOO_LATE = "happened", "game over"  # why a note was opened: Message.event


def digest_of(salt: str, text: str) -> str:
    """Return the hash published on sealing: SHA-256 of the salt, a line feed and the words in UTF-8."""
    return sha256(f"{salt}\n{text}".encode()).hexdigest()


def takable_regions(state: State) -> tuple[str, ...]:
    """Return the regions that someone can still take.

    These are all free regions, and held ones if the rules let them be taken again.
    """
    if state.options.is_1995 or state.options.captures_regions:
        return tuple(REGIONS)
    held = dict(observe(state, None).control)
    return tuple(region for region in REGIONS if region not in held)


@transaction.atomic
def seal_note(seat: Seat, channel: Channel, text: str, opens: str, region: str = "") -> Message:
    """Seal a cleaned text for the readers of a channel until an event of the running game.

    The same words for the same event, while still sealed there, are a second click and return the first
    message. Raises Refused if they can't be sealed, and TooMany.
    """
    game, seat = locked_seat(seat)
    if game.is_over:
        raise Refused(_("The game is over, so you can't seal a note."))
    require_voice(channel, seat, game.table)
    state = replayed(game).state
    region = _region(state, opens, region)
    twice = _sealed_already(channel, seat, text, opens, region)
    if twice is not None:
        return twice
    require_pace(seat.person, game.table)
    count_message(seat.person)
    message = add(channel, author=seat.person, kind=Message.Kind.SEALED)
    _keep(message, game, state, text, opens=opens, region=region)
    return message


def _keep(message: Message, game: Game, state: State, text: str, **event: str) -> None:
    salt = secrets.token_hex(16)
    SealedNote.objects.create(
        message=message,
        game=game,
        text=text,
        salt=salt,
        digest=digest_of(salt, text),
        made_ply=state.ply,
        checked_step=state.step,
        **event,
    )


def _region(state: State, opens: str, region: str) -> str:
    """Return the event's region: to be taken, or fought for at this moment; empty for none."""
    if opens == SealedNote.Opens.BATTLE:
        return observe(state, None).battle or ""
    if opens != SealedNote.Opens.REGION:
        return ""
    if region not in REGIONS:
        raise Refused(_("Choose the region whose taking opens the note."))
    if region not in takable_regions(state):
        said = _("%(region)s is already taken for good. Choose another region.")
        raise Refused(said % {"region": region_name(region)})
    return region


def _sealed_already(channel: Channel, seat: Seat, text: str, opens: str, region: str) -> Message | None:
    sealed = SealedNote.objects.filter(
        message__channel=channel.pk,
        message__author=seat.user,
        text=text,
        opens=opens,
        region=region,
        opened_at__isnull=True,
    )
    first = sealed.select_related("message__channel").order_by("pk").first()
    return first.message if first else None


# Opening and withdrawing. Only events that everyone saw count, so that opening reveals nothing else (R17).


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
    except Exception:  # if one game fails, notes of the others must still open
        logger.exception("the sealed note %s of game %s could not be checked", seal, game)
        return False


def _closed() -> QuerySet[SealedNote]:
    return SealedNote.objects.filter(opened_at__isnull=True)


def _moved_on() -> QuerySet[SealedNote]:
    """Return the notes of games in which everyone has seen something new since the last check."""
    return _closed().filter(Q(game__ended_at__isnull=False) | Q(game__step__gt=F("checked_step")))


@transaction.atomic
def _open_if_due(pk: int, game_id: int, now: datetime) -> bool:
    game = locked_game(Game(pk=game_id))
    locked_table(game.table_id)
    seal = _closed().select_related("message__channel", "message__author").filter(pk=pk).first()
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


@transaction.atomic
def withdraw_sealed_notes(user: User) -> None:
    """Empty a deleted person's notes that have not been opened, so that they never will be.

    The games' rows are locked first, as for every change to them. So are those of games in which the person
    will give up a seat. The order is always by table.
    """
    mine = _closed().filter(message__author=user)
    if not mine.exists():
        return
    affected = Q(seals__in=mine) | Q(table__seats__user=user, table__state=Table.State.PLAYING, ended_at=None)
    games = Game.objects.filter(pk__in=Game.objects.filter(affected).values("pk")).order_by("table", "pk")
    list(games.select_for_update(of=("self",)))
    mine.update(text="", opened_at=clock.now())
