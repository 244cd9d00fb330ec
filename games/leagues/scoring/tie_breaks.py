"""The order of players: by points, then by the tie-breaks of the season, each with what it decided."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hmac import digest
from math import comb

from games.leagues.scoring.round_results import PlayerResults, average
from games.leagues.scoring.scoring_methods import TieBreak
from games.leagues.scoring.table_points import ZERO

Values = Mapping[int, Fraction]


@dataclass(frozen=True, slots=True)
class Decided:
    """The tie-break that put a player below the one above, with the values of both.

    For lots the values are their positions in the draw.
    """

    tie_break: TieBreak
    value: Fraction
    above: Fraction


@dataclass(frozen=True, slots=True)
class Ranked:
    """A player in the order; `decided_by` is None for the first, and if points decided."""

    player: int
    decided_by: Decided | None


def drawn_order(players: Iterable[int], seed: bytes) -> tuple[int, ...]:
    """Return the order in which lots are drawn: by HMAC-SHA256 of each player's number under the seed.

    Between two players, neither the other players nor the order of the argument changes anything.
    """
    return tuple(sorted(players, key=lambda player: digest(seed, b"condottiere-lot-1 %d" % player, "sha256")))


def in_order(
    group: Collection[int],
    records: Mapping[int, PlayerResults],
    strengths: Values,
    tie_breaks: Sequence[TieBreak],
    seed: bytes,
) -> list[Ranked]:
    """Return these players from the first to the last.

    `records` are those of all ranked players, and `strengths` those of their opponents.
    """
    order = _Order(records, strengths, seed)
    points = {player: records[player].points for player in group}
    ranked: list[Ranked] = []
    for equal in _parted(points, TieBreak.HEAD_TO_HEAD):
        ranked += order.broken(equal, tie_breaks, None)
    return ranked


def strengths_of(records: Mapping[int, PlayerResults]) -> dict[int, Fraction]:
    """Return each player's strength of schedule: their opponents' average points per played table, or 0."""
    averages = {player: record.average for player, record in records.items()}
    return {player: _average_of(record.met, averages) for player, record in records.items()}


def _average_of(players: Sequence[int], values: Values) -> Fraction:
    return sum([values[player] for player in players], ZERO) / max(len(players), 1)


@dataclass(frozen=True, slots=True)
class _Order:
    """The data that all comparisons of one division's standings use."""

    records: Mapping[int, PlayerResults]
    strengths: Values
    seed: bytes

    def broken(
        self, group: Collection[int], tie_breaks: Sequence[TieBreak], decided: Decided | None
    ) -> Iterator[Ranked]:
        """Yield the group in order; `decided` is what put its first player below the one above."""
        if len(group) == 1 or not tie_breaks:
            yield from [Ranked(player, decided) for player in group]
            return
        asked, *later = tie_breaks
        values = self._values(asked, group)
        above: Fraction | None = None
        for equal in _parted(values, asked):
            value = values[equal[0]]
            if above is not None:
                decided = Decided(asked, value, above)
            yield from self.broken(equal, later, decided)
            above = value

    def _values(self, asked: TieBreak, group: Collection[int]) -> Values:
        """Return what the tie-break compares; equal values for all if it cannot decide."""
        match asked:
            case TieBreak.HEAD_TO_HEAD:
                return self._direct(set(group))
            case TieBreak.WINS:
                return {player: self.records[player].wins for player in group}
            case TieBreak.REGIONS:
                return {player: self.records[player].regions for player in group}
            case TieBreak.STRENGTH_OF_SCHEDULE:
                return {player: self.strengths[player] for player in group}
            case TieBreak.LOT:
                drawn = drawn_order(self.records, self.seed)
                return {player: Fraction(drawn.index(player) + 1) for player in group}

    def _direct(self, group: set[int]) -> Values:
        met = {player: group.intersection(self.records[player].met) for player in group}
        if sum([len(others) for others in met.values()]) < 2 * comb(len(group), 2):
            return dict.fromkeys(group, ZERO)
        return {player: self._among(player, group) for player in group}

    def _among(self, player: int, group: set[int]) -> Fraction:
        """Return the player's points per table, over tables where they met anyone of the group."""
        return average([result for result in self.records[player].results if group.intersection(result.met)])


def _parted(values: Values, asked: TieBreak) -> list[list[int]]:
    """Group players with equal values, the best first: the highest value or, for lots, the lowest."""
    best_first = sorted(set(values.values()), reverse=asked != TieBreak.LOT)
    return [[player for player in values if values[player] == value] for value in best_first]
