"""The map of a position with its key: the tokens, the piles and the rules in force."""

from __future__ import annotations

from dataclasses import dataclass

from games.map.board import BoardView
from games.presenters.position import Position
from games.rules import Options, Phase


@dataclass(frozen=True)
class MapSection:
    """The map of a position, and the facts below it."""

    board: BoardView
    condottiere: str  # the name of the player with the token
    pope: str  # the region of the Pope; empty while he is off the map
    pile_size: int
    discards: tuple[str, ...]
    options: Options

    @property
    def has_pope(self) -> bool:
        return not self.options.is_1995


def map_section(position: Position, board: BoardView) -> MapSection:
    """Return a position's map with its key."""
    seen = position.seen
    holder = position.names[seen.condottiere]
    return MapSection(board, holder, seen.pope or "", seen.pile_size, seen.discards, seen.options)


def board_of(
    position: Position,
    links: dict[str, str] | None = None,
    selected: str | None = None,
    taken: str | None = None,
) -> BoardView:
    """Return the map of a position.

    `links` are the regions to choose from, each with its address. `taken` is where a battle has just ended.
    """
    seen = position.seen
    return BoardView(
        control=dict(seen.control),
        battle=seen.battle,
        pope=seen.pope,
        links=links or {},
        names=position.names,
        selected=selected,
        taken=taken,
        has_pope=not seen.options.is_1995,
        prizes=position.prizes,
    )


def links_to_regions(position: Position) -> dict[str, str]:
    """Return the regions that the viewer can fight for, each with the address of its button."""
    asked = position.seen.asked
    if asked is None or asked.kind != Phase.PLACE:
        return {}
    return {str(move.region): f"#fight-{move.region}" for move in position.seen.legal}
