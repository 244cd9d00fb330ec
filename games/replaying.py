"""Plays a stored log through the rules. Reads only; never writes."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from hashlib import blake2b

from accounts.composed import rows
from games.models import Game
from games.rules import Replay, replay

# A move, the letters that tell of it and the page that follows play the same log one after the other. What is
# kept is keyed by the whole log, so it is never out of date, and may be dropped at any time.
_replay = lru_cache(maxsize=64)(replay)


_LOG = "SELECT seat, move, via FROM games_logentry WHERE game_id = %s ORDER BY ply"


class BrokenLog(Exception):
    """A stored log that the rules refuse: the database was changed behind the game's back."""


def replayed(game: Game) -> Replay:
    """Every position of the game and what happened at each ply, in one query. Raises BrokenLog."""
    log = tuple(rows(_LOG, game.pk))
    entries = tuple((seat, move) for seat, move, _via in log)
    final_battle = None if game.final_battle is None else tuple(game.final_battle)
    start = (game.table.options, game.players, game.first_condottiere)
    game.vias = tuple(via for _seat, _move, via in log)
    game.log_digest = _digest((start, final_battle, log))
    played = _replay(*start, entries, final_battle)
    if played.error is not None:
        ply, reason = played.error
        raise BrokenLog(f"game {game.pk}, ply {ply}: {reason}")
    return played


def _digest(log: Hashable) -> bytes:
    """By what one log is told from any other."""
    return blake2b(repr(log).encode(), digest_size=16).digest()
