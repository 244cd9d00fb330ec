"""The rules by which a season is scored: chosen before it begins, independent of any game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise

MOST_POINTS = 1000  # of a place or an award

# A victory is worth the same at every table, and the last place nothing. So tables of two sizes can be part
# of one season.
_USUAL_PLACEMENT = {
    2: (6, 0),
    3: (6, 2, 0),
    4: (6, 3, 1, 0),
    5: (6, 4, 2, 1, 0),
    6: (6, 4, 3, 2, 1, 0),
}


class BadRules(ValueError):
    """Rules by which no season can be scored."""


class ScoringMethod(StrEnum):
    """How seats score: by points as in Playing for Points (R27), by place, or by wins."""

    POINTS = "points"
    PLACEMENT = "placement"
    WINS = "wins"


class TieBreak(StrEnum):
    """What is compared between players with equal points (tie_breaks.py says how)."""

    HEAD_TO_HEAD = "head_to_head"
    WINS = "wins"
    REGIONS = "regions"
    STRENGTH_OF_SCHEDULE = "strength_of_schedule"
    LOT = "lot"


class SplitRule(StrEnum):
    """How the points of a seat with several holders are split: by their turns, or all to the first or last.

    A bot's part is lost.
    """

    SHARE = "share"
    STARTER = "starter"
    FINISHER = "finisher"


class ByeRule(StrEnum):
    """The points of a round without a table: an average, or nothing.

    The average is that of one's own tables, but never more than that of all seats in the division.
    """

    AVERAGE = "average"
    NOTHING = "nothing"


USUAL_TIE_BREAKS = (
    TieBreak.HEAD_TO_HEAD,
    TieBreak.WINS,
    TieBreak.REGIONS,
    TieBreak.STRENGTH_OF_SCHEDULE,
    TieBreak.LOT,
)


def usual_placement(size: int) -> tuple[Fraction, ...]:
    """Return the points of each place, from the first, at a table of this size.

    Raises BadRules for any size but 2 to 6.
    """
    if size not in _USUAL_PLACEMENT:
        raise BadRules(f"No table has {size} seats.")
    return tuple([Fraction(points) for points in _USUAL_PLACEMENT[size]])


def placement_at(size: int, points: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return the points of each place at a table of this size, given those at another table.

    First and last place keep theirs; those between are read off the straight lines between the points given.
    """
    step = Fraction(len(points) - 1, size - 1)
    return tuple([_between(points, place * step) for place in range(size)])


def _between(points: Sequence[Fraction], at: Fraction) -> Fraction:
    below = points[min(int(at) + 1, len(points) - 1)]
    return points[int(at)] + (below - points[int(at)]) * (at - int(at))


@dataclass(frozen=True, slots=True)
class ScoringRules:
    """How a season scores.

    `placement` has its own points per place, by table size; a missing size has the default ones.
    Lots are drawn from `lot_seed`, after all other tie-breaks.
    """

    scoring: ScoringMethod = ScoringMethod.POINTS
    placement: Mapping[int, tuple[Fraction, ...]] = field(default_factory=dict)
    tie_breaks: tuple[TieBreak, ...] = USUAL_TIE_BREAKS
    split: SplitRule = SplitRule.SHARE
    bye: ByeRule = ByeRule.AVERAGE
    lot_seed: bytes = b""

    def __post_init__(self) -> None:
        for size, points in self.placement.items():
            _require_placement(size, points)

    def points_by_place(self, size: int) -> tuple[Fraction, ...]:
        """Return the points of each place, from the first, at a table of this size."""
        return self.placement.get(size) or usual_placement(size)

    @property
    def all_tie_breaks(self) -> tuple[TieBreak, ...]:
        """The tie-breaks in the order in which they decide; lots come last, so that the order is total."""
        return (*[one for one in self.tie_breaks if one != TieBreak.LOT], TieBreak.LOT)


def _require_placement(size: int, points: tuple[Fraction, ...]) -> None:
    if len(points) != size:
        raise BadRules(f"A table of {size} has points for {size} places.")
    if any(lower > higher for higher, lower in pairwise(points)):
        raise BadRules("No place gives more points than a better one.")
