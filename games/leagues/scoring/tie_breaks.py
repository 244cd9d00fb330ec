"""Who stands before whom: points first, then the season's tie-breaks in their order.

A tie-break is asked of all who are equal so far, and those it leaves equal are asked the next one. The lot
leaves nobody equal, so an order is always total.

- DIRECT: points per table, over the tables at which at least two of these people were seated. It decides
  only where each of them has met each other there.
- WINS: victories; a shared one counts for its share.
- REGIONS: regions held at the end of games.
- STRENGTH: of the opponents met, each as often as met, the average of their points per played table.
- LOT: the order drawn from the season's seed; who is drawn first stands first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hmac import digest
from math import comb

from .records import Record, average
from .rules import TieBreak

Values = Mapping[int, Fraction]


@dataclass(frozen=True, slots=True)
class Decided:
    """The tie-break that put somebody below the one above him, and what was compared: his value and that of
    the one above. For the lot these are the numbers at which they were drawn."""

    tie_break: TieBreak
    value: Fraction
    above: Fraction


@dataclass(frozen=True, slots=True)
class Ranked:
    """Somebody in his order; `decided_by` is None where points put him below the one above, and for the
    first."""

    player: int
    decided_by: Decided | None


def drawn_order(players: Iterable[int], seed: bytes) -> tuple[int, ...]:
    """The order in which lots are drawn: by HMAC-SHA256 of each player's number under the seed. Who else is
    drawn, and in which order they are given, changes nothing between two of them."""
    return tuple(sorted(players, key=lambda player: digest(seed, b"condottiere-lot-1 %d" % player, "sha256")))


def in_order(
    group: Collection[int],
    records: Mapping[int, Record],
    strengths: Values,
    tie_breaks: Sequence[TieBreak],
    seed: bytes,
) -> list[Ranked]:
    """These people from the first to the last. `records` are those of all who are ranked, and `strengths` of
    their opponents."""
    order = _Order(records, strengths, seed)
    points = {player: records[player].points for player in group}
    ranked: list[Ranked] = []
    for equal in _parted(points, TieBreak.DIRECT):
        ranked += order.broken(equal, tie_breaks, None)
    return ranked


def strengths_of(records: Mapping[int, Record]) -> dict[int, Fraction]:
    """For each, the average over his opponents of their points per played table; 0 for who has met nobody."""
    averages = {player: record.average for player, record in records.items()}
    return {player: _average_of(record.met, averages) for player, record in records.items()}


def _average_of(players: Sequence[int], values: Values) -> Fraction:
    return sum([values[player] for player in players], Fraction(0)) / max(len(players), 1)


@dataclass(frozen=True, slots=True)
class _Order:
    """What all comparisons of one standing look at."""

    records: Mapping[int, Record]
    strengths: Values
    seed: bytes

    def broken(
        self, group: Collection[int], tie_breaks: Sequence[TieBreak], decided: Decided | None
    ) -> Iterator[Ranked]:
        """The group in order; `decided` is what put its first below whoever stands above."""
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
        """What the tie-break compares; the same for all where it cannot decide."""
        match asked:
            case TieBreak.DIRECT:
                return self._direct(set(group))
            case TieBreak.WINS:
                return {player: self.records[player].wins for player in group}
            case TieBreak.REGIONS:
                return {player: self.records[player].regions for player in group}
            case TieBreak.STRENGTH:
                return {player: self.strengths[player] for player in group}
            case TieBreak.LOT:
                drawn = drawn_order(self.records, self.seed)
                return {player: Fraction(drawn.index(player) + 1) for player in group}

    def _direct(self, group: set[int]) -> Values:
        met = {player: group.intersection(self.records[player].met) for player in group}
        if sum([len(others) for others in met.values()]) < 2 * comb(len(group), 2):
            return dict.fromkeys(group, Fraction(0))
        return {player: self._among(player, group) for player in group}

    def _among(self, player: int, group: set[int]) -> Fraction:
        """His points per table, over those at which he met anybody of the group."""
        return average([result for result in self.records[player].results if group.intersection(result.met)])


def _parted(values: Values, asked: TieBreak) -> list[list[int]]:
    """People of equal values together, the best first: the highest, but who was drawn first."""
    best_first = sorted(set(values.values()), reverse=asked != TieBreak.LOT)
    return [[player for player in values if values[player] == value] for value in best_first]
