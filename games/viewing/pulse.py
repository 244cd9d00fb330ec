"""Whether something has happened in a game since a page of it was made: every open page asks again and again.

One plain query, without models, because it is the most frequent of all; moments are only told apart, so they
are read as the database writes them. A viewer's pulse is made only from what his page shows: by steps, never
by plies, so that a secret answer (R17) changes no pulse but his who gave it.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import lru_cache
from hashlib import blake2b
from time import time
from typing import Any, NamedTuple

from django.core import signing
from django.urls import reverse

from accounts.composed import Planned
from games.links import BadLink, Question, read_answer_token
from games.models import Table

NO_SEAT = -1
POLL_SECONDS = 20
_SALT = "condottiere.live"
_AGE = timedelta(days=14)  # of an open page; one that is older is told to be opened again
_QUERY = Planned(
    "pulse_of_game",
    """
SELECT game.step, CAST(board.next_game_at AS text), board.state, game.phase,
  CAST(game.ended_at AS text), CAST(game.paused_until AS text),
  (SELECT MAX(id) FROM games_timeevent WHERE game_id = game.id),
  (SELECT MAX(id) FROM games_seatchange WHERE game_id = game.id),
  (SELECT MAX(number) FROM games_game WHERE table_id = board.id),
  (SELECT SUM(ready_for) FROM games_seat WHERE table_id = board.id),
  seat.asked_at, CAST(seat.due_at AS text), seat.stand_in,
  (SELECT MAX(id) FROM games_proposal WHERE game_id = game.id),
  (SELECT CAST(accepted AS text) FROM games_proposal WHERE game_id = game.id AND closed_at IS NULL),
  (SELECT SUM(newest) FROM press_circle
   WHERE table_id = board.id AND (kind <> 'private' OR opened_at IS NOT NULL)),
  (SELECT SUM(newest) FROM press_circle AS circle JOIN press_member AS member ON member.circle_id = circle.id
   WHERE circle.table_id = board.id AND member.user_id = seat.user_id),
  board.watchers_read, seat.user_id, board.practice_key, board.watch, board.watch_key
FROM games_game AS game JOIN games_table AS board ON board.id = game.table_id
LEFT JOIN games_seat AS seat ON seat.table_id = board.id AND seat.number = %s
WHERE game.id = %s
""",
)


class Kind(StrEnum):
    """By what somebody looks at a game."""

    PLAYER = "p"  # signed in
    GUEST = "g"  # by the key of a practice table
    WATCHER = "w"  # by the key of a watching link
    LINK = "l"  # by a letter's link to one question


class Viewer(NamedTuple):
    """Who looks at which game, and what lets him in: his number, a key, or the token of a letter's link."""

    kind: Kind
    game: int
    seat: int
    key: int | str
    user: int | None = None  # to whom the seat has to belong
    asked_at: int | None = None  # the one question of a letter's link


class Row(NamedTuple):
    """What the query reads."""

    all_see: tuple[object, ...]
    asked_at: int | None
    owner_sees: tuple[object, ...]
    players_see: tuple[object, ...]
    said_to_all: int | None  # how much; what was said in private circles counts for its own people alone
    said_to_owner: int | None
    watchers_read: bool
    user: int | None
    practice_key: str | None
    watch: str
    watch_key: str


@dataclass(frozen=True)
class Pulse:
    """What a viewer's page was made from, as one short word."""

    version: str


def pulse_of(viewer: Viewer) -> Pulse | None:
    """The game's pulse for this viewer; None for who may not see it, or not any more."""
    row = _read(viewer)
    if row is None or not _may_see(viewer, row):
        return None
    word = blake2b(repr(_seen_by(viewer, row)).encode(), digest_size=9).digest()
    return Pulse(urlsafe_b64encode(word).decode())


def _read(viewer: Viewer) -> Row | None:
    answer = _QUERY.rows(viewer.seat, viewer.game)
    if not answer:
        return None
    found = answer[0]
    return Row(found[:10], found[10], found[11:13], found[13:15], *found[15:])


def _may_see(viewer: Viewer, row: Row) -> bool:
    match viewer.kind:
        case Kind.GUEST:
            return row.practice_key == viewer.key
        case Kind.WATCHER:
            return row.watch_key == viewer.key and row.watch != Table.Watch.NOBODY
    return viewer.user is not None and row.user == viewer.user


def _seen_by(viewer: Viewer, row: Row) -> tuple[object, ...]:
    """What this viewer's page shows: a link's only whether its own question is still open."""
    match viewer.kind:
        case Kind.WATCHER:
            return (*row.all_see, row.said_to_all if row.watchers_read else None)
        case Kind.LINK:
            is_open = row.asked_at == viewer.asked_at
            return (*row.all_see, is_open, *(row.owner_sees if is_open else ()))
    return (*row.all_see, row.asked_at, *row.owner_sees, *row.players_see, row.said_to_all, row.said_to_owner)


def live_url(viewer: Viewer, pulse: Pulse) -> str:
    """Where a page asks whether there is news since this pulse."""
    return reverse("live", args=[live_token(viewer, pulse.version)])


def live_token(viewer: Viewer, version: str) -> str:
    """Who asks, and what he has; signed, so that nobody asks in another's place."""
    named = [viewer.kind, viewer.key] if viewer.kind == Kind.LINK else viewer[:4]
    return signing.dumps([*named, version], salt=_SALT)


def read_live_token(token: str) -> tuple[Viewer, str]:
    """Who asks, and the version that he has. Raises BadLink."""
    try:
        (kind, *named, version), made_at = _opened(token)
    except (signing.BadSignature, ValueError) as error:
        raise BadLink from error
    if time() > made_at + _AGE.total_seconds():
        raise BadLink
    if kind == Kind.LINK:
        return viewer_by_link(named[0], read_answer_token(named[0])), version
    game, seat, key = named
    return Viewer(Kind(kind), game, seat, key, key if kind == Kind.PLAYER else None), version


@lru_cache(maxsize=4096)
def _opened(token: str) -> tuple[list[Any], int]:
    """What a token says, and when it was made; an open page brings the same one again and again."""
    said: list[Any] = signing.loads(token, salt=_SALT)
    return said, signing.b62_decode(token.split(":")[-2])


def viewer_by_link(token: str, question: Question) -> Viewer:
    """Whoever holds this letter's link."""
    return Viewer(Kind.LINK, question.game, question.seat, token, question.user, question.asked_at)


def has_no_news(token: str) -> bool:
    """Whether this token's page shows the game as it is; False also for who may see it no more."""
    try:
        viewer, version = read_live_token(token)
    except BadLink:
        return False
    pulse = pulse_of(viewer)
    return pulse is not None and pulse.version == version
