"""The version of an open game page: pages poll it to learn whether something has happened.

A viewer's version depends only on what their page shows. It counts steps, never plies, so that a secret
answer (R17) changes only the version of the player who gave it.
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
_AGE = timedelta(days=14)  # of an open page; older pages must be opened again


class Kind(StrEnum):
    """How someone looks at a game."""

    PLAYER = "p"  # signed in
    GUEST = "g"  # by the key of a practice table
    SPECTATOR = "w"  # by the key of a watching link
    LINK = "l"  # by an email's link to one question
    VISIT = "v"  # by such a link, in a browser that has just answered for this seat


_BY_LINK = (Kind.LINK, Kind.VISIT)


class Viewer(NamedTuple):
    """A person looking at a game, and what lets them in: a number, a key, or the token of an email link."""

    kind: Kind
    game: int
    seat: int
    key: int | str
    user: int | None = None  # the person who must have the seat
    decision_step: int | None = None  # the one question of an email link


def page_version(
    viewer: Viewer, game: Game | None = None, channels: Iterable[Channel] | None = None
) -> str | None:
    """Return the game's page version for this viewer, a short string; None if they may not see it.

    A page passes the game, as `games_to_show` reads it, and the channels its reader can read. Otherwise both
    are read here.
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
    changes = game.newest_time_event, game.newest_change, last
    return game.step, game.phase, table.state, ready, *moments, *changes


def _seen_by(
    viewer: Viewer, game: Game, own: Seat | None, channels: Iterable[Channel] | None
) -> tuple[object, ...]:
    """Return what else this viewer's page depends on: for a link only whether its question is still open."""
    if viewer.kind == Kind.SPECTATOR:
        is_readable = game.table.spectators_read
        return _said_in(_read_by(None, game) if channels is None else channels) if is_readable else ()
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
    """Return the number of messages in these channels, and how many channels are open to the table."""
    said = [(channel.newest, channel.opened_at is not None) for channel in channels]
    return sum(newest for newest, _is_open in said), sum(is_open for _newest, is_open in said)


def live_url(viewer: Viewer) -> str:
    """Return the address where a page asks for its version."""
    return reverse("live", args=[live_token(viewer)])


def live_token(viewer: Viewer) -> str:
    """Return the signed viewer token, so that no one can ask in another's place."""
    named = [viewer.kind, viewer.key] if viewer.kind in _BY_LINK else viewer[:4]
    return signing.dumps(list(named), salt=_SALT)


def read_live_token(token: str) -> Viewer:
    """Return the viewer of a token. Raises BadLink."""
    try:
        kind, *named = signing.loads(token, salt=_SALT, max_age=_AGE)
    except (signing.BadSignature, ValueError) as error:
        raise BadLink from error
    if kind in _BY_LINK:
        return viewer_by_link(named[0], read_answer_token(named[0]), Kind(kind))
    game, seat, key = named
    return Viewer(Kind(kind), game, seat, key, key if kind == Kind.PLAYER else None)


def viewer_by_link(token: str, question: Question, kind: Kind = Kind.LINK) -> Viewer:
    """Return the viewer who holds this email link."""
    return Viewer(kind, question.game, question.seat, token, question.user, question.decision_step)
