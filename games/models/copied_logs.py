"""Logs that begin with a copy of another game's: where the copied entries come from.

`Game.copied` is a list of parts, as JSON. Each goes on until its `entries`, and has the `commitment` of the
game it was copied from. `path` is the page of that position, where the player may know it. `is_taken_back` is
set where a practice game was begun again to take a move back. A record has only the first two.
"""

from __future__ import annotations

from typing import Any

from games.models import Game


def copied_parts(game: Game, ply: int, **about: Any) -> list[dict[str, Any]]:
    """Return the parts of a log that begins with this game's first `ply` entries.

    What this game copied itself is still named by the game that it came from.
    """
    parts: list[dict[str, Any]] = []
    for part in game.copied or []:
        if part["entries"] >= ply:
            return [*parts, {**part, "entries": ply}]
        parts.append(part)
    return [*parts, {"entries": ply, "commitment": game.table.commitment_of(game.number), **about}]
