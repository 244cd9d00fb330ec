"""Plays a stored log through the rules. Reads only; never writes.

Nothing is remembered from one call to the next: what is remembered shows in the time a page takes (R17).
"""

from __future__ import annotations

from django.db.models import F, Q, QuerySet

from games.models import Game, LogEntry
from games.rules import Replay, replay


class BrokenLog(Exception):
    """A stored log that the rules refuse: the database was changed behind the game's back."""


def replayed(game: Game) -> Replay:
    """Every position of the game and what happened at each ply, in one query. Raises BrokenLog."""
    return _played(game, game.log.all())


def replayed_for(game: Game, seat: int | None) -> Replay:
    """The game as far as this seat may know of it, or with None the whole table; in one query.

    While hands may be discarded, the secret answers of others are not even read, so that what a page shows
    and what it costs is the same whether they have come or not (R17). Raises BrokenLog.
    """
    is_open = Q(game__phase="hand", game__ended_at=None)  # told by the same statement as the log
    in_secret = is_open & Q(asked_at=F("game__step"))
    return _played(game, game.log.exclude(in_secret & ~Q(seat=-1 if seat is None else seat)))


def _played(game: Game, log: QuerySet[LogEntry]) -> Replay:
    rows = list(log.order_by("ply").values_list("ply", "seat", "move", "via"))
    entries = [(seat, move) for _ply, seat, move, _via in rows]
    game.plies_read = tuple(ply for ply, _seat, _move, _via in rows)
    game.vias = tuple(via for _ply, _seat, _move, via in rows)
    played = replay(game.table.options, game.players, game.first_condottiere, entries, game.final_battle)
    if played.error is not None:
        place, reason = played.error
        raise BrokenLog(f"game {game.pk}, ply {game.plies_read[place]}: {reason}")
    return played
