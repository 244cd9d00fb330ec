"""The version of an open page of a game or a table: pages poll it to learn whether something has happened.

A viewer's version depends only on what their page shows. It counts steps, never plies, so that a secret
answer (R17) changes only the version of the player who gave it.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterable
from datetime import timedelta
from enum import StrEnum
from functools import cache, lru_cache
from hashlib import blake2b
from operator import attrgetter
from typing import Any, NamedTuple

from django.core import signing
from django.db.models import QuerySet
from django.urls import reverse

from accounts import clock
from games.access import GameAccess
from games.chat.models import Channel
from games.links import BadLink, LinkedDecision, read_answer_token
from games.models import Game, Seat, Table
from games.models.games_for_pages import games_to_show
from games.models.hours import is_here, is_in_hour
from games.narration.roster import Roster
from games.services.presence import note_presence

NO_SEAT = -1
_SALT = "condottiere.live"
_AGE = timedelta(days=14)  # of an open page; older pages must be opened again

# What a version is made of: fields of a game, as `games_to_show` reads it, and of each of its seats.
_ALL_SEE = (
    "step",
    "phase",
    "table__state",
    "table__next_game_at",
    "ended_at",
    "paused_until",
    "newest_time_event",
    "newest_change",
    "last_number",
)
_PLAYERS_SEE = ("newest_proposal", "accepted")
_LETS_IN = ("table_id", "table__practice_key", "table__watch_key", "table__watch", "table__spectators_read")
_OF_GAME = _ALL_SEE + _PLAYERS_SEE + _LETS_IN
_PRESENCE = ("hour_from", "hour_until", "seen_at", "shows_presence")
_OF_SEAT = ("number", "user_id", "ready_for", "decision_step", "due_at", "played_by_bot", *_PRESENCE)
_COLUMNS = _OF_GAME + tuple(f"table__seats__{name}" for name in _OF_SEAT)
_game_row = attrgetter(*(name.replace("__", ".") for name in _OF_GAME))
_seat_row = attrgetter(*_OF_SEAT)


class ViewerKind(StrEnum):
    """How someone looks at a game."""

    PLAYER = "p"  # signed in
    GUEST = "g"  # by the key of a practice table
    SPECTATOR = "w"  # by the key of a watching link
    LINK = "l"  # by an email's link to one decision
    VISIT = "v"  # by such a link, in a browser that has just answered for this seat

    @property
    def is_by_link(self) -> bool:
        return self in (ViewerKind.LINK, ViewerKind.VISIT)


class Viewer(NamedTuple):
    """A person looking at a game, and what lets them in: a number, a key, or the token of an email link."""

    kind: ViewerKind
    game: int
    seat: int
    key: int | str
    user: int | None = None  # the person who must have the seat
    decision_step: int | None = None  # the one decision of an email link


@cache
def _all_rows() -> QuerySet[Game, tuple[Any, ...]]:
    return games_to_show().order_by("table__seats__number").values_list(*_COLUMNS)


class _Seen(NamedTuple):
    """The rows of a game that its versions are made of, each with one seat."""

    rows: list[tuple[Any, ...]]

    @classmethod
    def read(cls, number: int) -> _Seen:
        """Read a game in one query, and only these columns: most polls need nothing else."""
        return cls(list(_all_rows().filter(pk=number)))

    @classmethod
    def of(cls, game: Game) -> _Seen:
        return cls([_game_row(game) + _seat_row(seat) for seat in game.table.all_seats()])

    @property
    def all_see(self) -> tuple[object, ...]:
        return *self.rows[0][: len(_ALL_SEE)], sum(seat["ready_for"] for seat in self.seats)

    @property
    def game(self) -> dict[str, Any]:
        return dict(zip(_OF_GAME, self.rows[0], strict=False))

    @property
    def seats(self) -> list[dict[str, Any]]:
        return [dict(zip(_OF_SEAT, row[len(_OF_GAME) :], strict=True)) for row in self.rows]


def page_version(
    viewer: Viewer,
    game: Game | None = None,
    channels: Iterable[Channel] | None = None,
    *,
    is_visible: bool = False,
) -> str | None:
    """Return the game's page version for this viewer, a short string; None if they may not see it.

    A page passes the game, as `games_to_show` reads it, and the channels its reader can read. Otherwise both
    are read here, in two queries. `is_visible` says that a player's own page is, and asks for news.
    """
    found = _Seen.of(game) if game else _Seen.read(viewer.game)
    if not found.rows:
        return None
    own = next((seat for seat in found.seats if seat["number"] == viewer.seat), None)
    if not _may_see(viewer, found.game, own):
        return None
    if is_visible and own is not None and viewer.kind == ViewerKind.PLAYER:
        note_presence(viewer.game, _as_seat(found.game, own), clock.now())
    seen = (*found.all_see, *_seen_by(viewer, found.game, own, channels))
    if viewer.kind == ViewerKind.PLAYER and own is not None:
        seen += _presence_for(found, own)
    return _hashed(seen)


def _as_seat(game: dict[str, Any], row: dict[str, Any]) -> Seat:
    return Seat(table_id=game["table_id"], **row)


def _presence_for(found: _Seen, own: dict[str, Any]) -> tuple[object, ...]:
    """Return whether the viewer's own shared hour is on, and which of the others are here."""
    now = clock.now()
    seats = [_as_seat(found.game, row) for row in found.seats if row["seen_at"] or row is own]
    here = tuple(seat.number for seat in seats if seat.number != own["number"] and is_here(seat, now))
    return is_in_hour(_as_seat(found.game, own), now), here


def waiting_version(table: Table, roster: Roster) -> str:
    """Return the version of a page that waits for players; empty once the table looks for none."""
    seats = [(seat.number, seat.bot, seat.confirmed_at is not None) for seat in roster.seats]
    return _hashed((seats, roster.names)) if table.is_gathering else ""


def _hashed(seen: object) -> str:
    word = blake2b(repr(seen).encode(), digest_size=9).digest()
    return urlsafe_b64encode(word).decode()


def _may_see(viewer: Viewer, game: dict[str, Any], own: dict[str, Any] | None) -> bool:
    match viewer.kind:
        case ViewerKind.GUEST:
            return bool(game["table__practice_key"] == viewer.key)
        case ViewerKind.SPECTATOR:
            return bool(game["table__watch_key"] == viewer.key and game["table__watch"] != Table.Watch.NOBODY)
    return viewer.user is not None and own is not None and own["user_id"] == viewer.user


def _seen_by(
    viewer: Viewer,
    game: dict[str, Any],
    own: dict[str, Any] | None,
    channels: Iterable[Channel] | None,
) -> tuple[object, ...]:
    """Return what else this viewer's page depends on: for a link only whether its decision is still open."""
    table = game["table_id"]
    if viewer.kind == ViewerKind.SPECTATOR:
        return _said_in(table, None, channels) if game["table__spectators_read"] else ()
    if own is None:
        return ()
    asked = own["decision_step"], own["due_at"], own["played_by_bot"]
    if viewer.kind == ViewerKind.LINK:
        return asked if own["decision_step"] == viewer.decision_step else ()
    if viewer.kind == ViewerKind.VISIT:
        return asked
    proposed = (game[name] for name in _PLAYERS_SEE)
    return *asked, *proposed, *_said_in(table, viewer.user, channels)


@lru_cache(maxsize=1000)  # to build it costs as much as to ask
def _read_by(reader: int | None) -> QuerySet[Channel, tuple[int, Any]]:
    return Channel.objects.readable_by(reader).order_by().values_list("newest", "opened_at")


def _said_in(table: int, reader: int | None, channels: Iterable[Channel] | None) -> tuple[int, int]:
    """Return the number of messages in these channels, and how many channels are open to the table."""
    if channels is None:
        said = list(_read_by(reader).filter(table=table))
    else:
        said = [(channel.newest, channel.opened_at) for channel in channels]
    return sum(newest for newest, _opened in said), sum(opened is not None for _newest, opened in said)


def live_url(viewer: Viewer) -> str:
    """Return the address where a page asks for its version."""
    return reverse("live", args=[live_token(viewer)])


def live_token(viewer: Viewer) -> str:
    """Return the signed viewer token, so that no one can ask in another's place."""
    named = [viewer.kind, viewer.key] if viewer.kind.is_by_link else viewer[:4]
    return signing.dumps(list(named), salt=_SALT)


def read_live_token(token: str) -> Viewer:
    """Return the viewer of a token. Raises BadLink."""
    try:
        kind, *named = signing.loads(token, salt=_SALT, max_age=_AGE)
    except (signing.BadSignature, ValueError) as error:
        raise BadLink from error
    if ViewerKind(kind).is_by_link:
        return viewer_by_link(named[0], read_answer_token(named[0]), ViewerKind(kind))
    game, seat, key = named
    return Viewer(ViewerKind(kind), game, seat, key, key if kind == ViewerKind.PLAYER else None)


def viewer_at(access: GameAccess) -> Viewer:
    """Return the viewer for this access, used by the open page to ask for news."""
    game, seat = access.game.pk, access.seat
    if access.decision is not None:
        kind = ViewerKind.VISIT if access.is_visit else ViewerKind.LINK
        return viewer_by_link(access.token, access.decision, kind)
    if seat.table.practice_key is not None:
        return Viewer(ViewerKind.GUEST, game, seat.number, seat.table.practice_key)
    return Viewer(ViewerKind.PLAYER, game, seat.number, seat.user_id or 0, seat.user_id)


def viewer_by_link(token: str, decision: LinkedDecision, kind: ViewerKind = ViewerKind.LINK) -> Viewer:
    """Return the viewer who holds this email link."""
    return Viewer(kind, decision.game, decision.seat, token, decision.user, decision.decision_step)
