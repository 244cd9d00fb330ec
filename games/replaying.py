"""Plays a stored log through the rules. Reads only; never writes."""

from __future__ import annotations

from games.models import Game
from games.rules import Replay, replay


class BrokenLog(Exception):
    """A stored log that the rules refuse: the database was changed behind the game's back."""


def replayed(game: Game) -> Replay:
    """Every position of the game and what happened at each ply, in one query. Raises BrokenLog."""
    entries = game.log.order_by("ply").values_list("seat", "move")
    played = replay(game.table.options, game.players, game.first_condottiere, entries, game.final_battle)
    if played.error is not None:
        ply, reason = played.error
        raise BrokenLog(f"game {game.pk}, ply {ply}: {reason}")
    return played
