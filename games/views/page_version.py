"""Whether something has happened in a game since a page of it was made: every open page asks again and again.

A viewer's pulse is made only from what their page shows: by steps, never by plies, so that a secret answer
(R17) changes no pulse but that of the player who gave it.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterable
from datetime import timedelta
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple

from django.core import signing
from django.urls import reverse

from games.chat.models import Channel
from games.links import BadLink, Question, read_answer_token
from games.models import Game, Seat, Table
from games.models.replay import games_to_show

NO_SEAT = -1
_SALT = "condottiere.live"
_AGE = timedelta(days=14)  # of an open page; one that is older is told to be opened again


class Kind(StrEnum):
    """By what somebody looks at a game."""

    PLAYER = "p"  # signed in
    GUEST = "g"  # by the key of a practice table
    SPECTATOR = "w"  # by the key of a watching link
    LINK = "l"  # by an email's link to one question
    VISIT = "v"  # by such a link, in a browser that has just answered for this seat


_BY_LINK = (Kind.LINK, Kind.VISIT)


class Viewer(NamedTuple):
    """Who looks at which game, and what lets them in: a number, a key, or the token of a link in an email."""

    kind: Kind
    game: int
    seat: int
    key: int | str
    user: int | None = None  # to whom the seat has to belong
    decision_step: int | None = None  # the one question of an email's link


def page_version(
    viewer: Viewer, game: Game | None = None, channels: Iterable[Channel] | None = None
) -> str | None:
    """The game's pulse for this viewer, a short word; None for who may not see it, or not any more.

    A page gives the game, as `games_to_show` reads it, and the channels that its reader reads; else they are
    read.
    """
    game = game or games_to_show().filter(pk=viewer.game).first()
    if game is None:
        return None
    seats = game.table.all_seats()
    own = next((seat for seat in seats if seat.number == viewer.seat), None)
    if not _may_see(viewer, game.table, own):
        return None
    seen = (*_all_see(game, seats), *_seen_by(viewer, game, own, channels))
    word = blake2b(repr(seen).encode(), digest_size=9).digest()
    return urlsafe_b64encode(word).decode()


def _may_see(viewer: Viewer, table: Table, own: Seat | None) -> bool:
    match viewer.kind:
        case Kind.GUEST:
            return table.practice_key == viewer.key
        case Kind.SPECTATOR:
            return table.watch_key == viewer.key and table.watch != Table.Watch.NOBODY
    return viewer.user is not None and own is not None and own.user_id == viewer.user


def _all_see(game: Game, seats: list[Seat]) -> tuple[object, ...]:
    table = game.table
    ready = sum(seat.ready_for for seat in seats)
    moments = table.next_game_at, game.ended_at, game.paused_until
    last = game.last_number  # type: ignore[attr-defined]  # of games_to_show
    beside = game.newest_time_event, game.newest_change, last
    return game.step, game.phase, table.state, ready, *moments, *beside


def _seen_by(
    viewer: Viewer, game: Game, own: Seat | None, channels: Iterable[Channel] | None
) -> tuple[object, ...]:
    """What this viewer's page shows besides: a link's only whether its own question is still open."""
    if viewer.kind == Kind.SPECTATOR:
        is_told = game.table.spectators_read
        return _said_in(_read_by(None, game) if channels is None else channels) if is_told else ()
    if own is None:
        return ()
    asked = own.decision_step, own.due_at, own.played_by_bot
    if viewer.kind == Kind.LINK:
        return asked if own.decision_step == viewer.decision_step else ()
    if viewer.kind == Kind.VISIT:
        return asked
    return *asked, *_proposed(game), *_said_in(_read_by(viewer.user, game) if channels is None else channels)


def _proposed(game: Game) -> tuple[object, ...]:
    if game.newest_proposal is None:
        return ()
    is_open = game.proposals.filter(closed_at=None)
    return game.newest_proposal, is_open.values_list("accepted", flat=True).first()


def _read_by(user: int | None, game: Game) -> Iterable[Channel]:
    return Channel.objects.filter(table=game.table_id).readable_by(user)


def _said_in(channels: Iterable[Channel]) -> tuple[int, int]:
    """How much was said in these channels, and how many of them are open to the table by now."""
    said = [(channel.newest, channel.opened_at is not None) for channel in channels]
    return sum(newest for newest, _is_open in said), sum(is_open for _newest, is_open in said)


def live_url(viewer: Viewer) -> str:
    """Where a page asks whether there is news."""
    return reverse("live", args=[live_token(viewer)])


def live_token(viewer: Viewer) -> str:
    """Who asks; signed, so that nobody asks in another's place."""
    named = [viewer.kind, viewer.key] if viewer.kind in _BY_LINK else viewer[:4]
    return signing.dumps(list(named), salt=_SALT)


def read_live_token(token: str) -> Viewer:
    """Who asks. Raises BadLink."""
    try:
        kind, *named = signing.loads(token, salt=_SALT, max_age=_AGE)
    except (signing.BadSignature, ValueError) as error:
        raise BadLink from error
    if kind in _BY_LINK:
        return viewer_by_link(named[0], read_answer_token(named[0]), Kind(kind))
    game, seat, key = named
    return Viewer(Kind(kind), game, seat, key, key if kind == Kind.PLAYER else None)


def viewer_by_link(token: str, question: Question, kind: Kind = Kind.LINK) -> Viewer:
    """The holder of this email's link."""
    return Viewer(kind, question.game, question.seat, token, question.user, question.decision_step)
