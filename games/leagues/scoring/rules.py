"""How a season scores: a value chosen before it begins, which says nothing about any game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise


class BadRules(ValueError):
    """Rules that no season can be scored by."""


class Scoring(StrEnum):
    """What a table gives to its seats: the points of Playing for Points (R27), points by place, or a win."""

    POINTS = "points"
    PLACEMENT = "placement"
    WINS = "wins"


class TieBreak(StrEnum):
    """What is compared between people who have equal points (see standings.py for each)."""

    DIRECT = "direct"
    WINS = "wins"
    REGIONS = "regions"
    STRENGTH = "strength"
    LOT = "lot"


class Split(StrEnum):
    """Who gets a seat's points when several held it: each by his turns, who was seated first, or who held it
    last. What would fall to a bot falls to nobody."""

    SHARE = "share"
    STARTER = "starter"
    FINISHER = "finisher"


class Bye(StrEnum):
    """What a round without a table gives: the average of one's own tables (with none: of the whole division's
    seats), or nothing."""

    AVERAGE = "average"
    NOTHING = "nothing"


USUAL_TIE_BREAKS = (TieBreak.DIRECT, TieBreak.WINS, TieBreak.REGIONS, TieBreak.STRENGTH, TieBreak.LOT)

# A victory is worth the same at every table, and the last place nothing: tables of two sizes stand in one
# season side by side.
_USUAL_PLACEMENT = {
    2: (6, 0),
    3: (6, 2, 0),
    4: (6, 3, 1, 0),
    5: (6, 4, 2, 1, 0),
    6: (6, 4, 3, 2, 1, 0),
}


def usual_placement(size: int) -> tuple[Fraction, ...]:
    """The points of each place, from the first, at a table of so many seats. BadRules but for 2 to 6."""
    if size not in _USUAL_PLACEMENT:
        raise BadRules(f"No table has {size} seats.")
    return tuple([Fraction(points) for points in _USUAL_PLACEMENT[size]])


@dataclass(frozen=True, slots=True)
class ScoringRules:
    """How a season scores. `placement` are its own points per place, by the size of the table; a size that is
    missing has the usual ones. Lots are drawn from `lot_seed`, and after all other tie-breaks."""

    scoring: Scoring = Scoring.POINTS
    placement: Mapping[int, tuple[Fraction, ...]] = field(default_factory=dict)
    tie_breaks: tuple[TieBreak, ...] = USUAL_TIE_BREAKS
    split: Split = Split.SHARE
    bye: Bye = Bye.AVERAGE
    lot_seed: bytes = b""

    def __post_init__(self) -> None:
        for size, points in self.placement.items():
            _require_placement(size, points)

    def points_by_place(self, size: int) -> tuple[Fraction, ...]:
        """The points of each place, from the first, at a table of so many seats."""
        return self.placement.get(size) or usual_placement(size)

    @property
    def all_tie_breaks(self) -> tuple[TieBreak, ...]:
        """The tie-breaks in the order in which they decide: the lot comes last, so that an order is total."""
        return (*[one for one in self.tie_breaks if one != TieBreak.LOT], TieBreak.LOT)


def _require_placement(size: int, points: tuple[Fraction, ...]) -> None:
    if len(points) != size:
        raise BadRules(f"A table of {size} has points for {size} places.")
    if any(lower > higher for higher, lower in pairwise(points)):
        raise BadRules("No place gives more points than a better one.")
