"""Standings of a division: tie-breaks, order, promotion and relegation.

Pure: no row is read and no clock is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from hmac import digest
from math import comb

from games.leagues.scoring import (
    ByeFacts,
    Record,
    RoundResult,
    Score,
    ScoringRules,
    SeatFacts,
    TableFacts,
    TieBreak,
    average,
    records_of,
    score_of,
    shares_of,
)

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


# The standing of a division: everybody in order, with every number's reasons, and beside it who helped.


@dataclass(frozen=True, slots=True)
class Row:
    """Somebody's line of a standing. `played` counts tables, not byes; who `is_out` has withdrawn or was
    expelled, and stands after all others."""

    player: int
    place: int
    points: Fraction
    played: int
    wins: Fraction
    regions: Fraction
    strength: Fraction
    byes: int
    decided_by: Decided | None
    results: tuple[RoundResult, ...]
    is_out: bool = False


@dataclass(frozen=True, slots=True)
class Help:
    """Somebody held a seat in which another was seated: his share of what that seat scored. It stands beside
    the standing and changes nobody's place, least of all his own."""

    player: int
    seated: int | None
    round: int
    table: int
    score: Score
    share: Fraction

    @property
    def points(self) -> Fraction:
        return self.score.points * self.share


@dataclass(frozen=True, slots=True)
class Standings:
    """A division after any of its rounds."""

    rows: tuple[Row, ...]
    helps: tuple[Help, ...] = ()

    @property
    def order(self) -> tuple[int, ...]:
        """The players from the first to the last."""
        return tuple([row.player for row in self.rows])


def standings(
    players: Collection[int],
    tables: Iterable[TableFacts],
    byes: Iterable[ByeFacts],
    rules: ScoringRules,
    out: Collection[int] = (),
) -> Standings:
    """Everybody in order, as these tables and byes have it; the order in which they are given says nothing.

    `out` are ranked among themselves, after all others. Raises BadFacts for players or tables given twice.
    """
    tables = tuple(tables)
    records = records_of(players, tables, byes, rules)
    strengths = strengths_of(records)
    ranked = _ranked(records, strengths, rules, set(out))
    rows = [
        _row(place, one, records[one.player], strengths[one.player], one.player in out)
        for place, one in enumerate(ranked, start=1)
    ]
    return Standings(tuple(rows), tuple(_helps(tables, rules)))


def _ranked(
    records: Mapping[int, Record], strengths: Values, rules: ScoringRules, out: set[int]
) -> list[Ranked]:
    staying = [player for player in records if player not in out]
    gone = [player for player in records if player in out]
    return [
        one
        for group in (staying, gone)
        for one in in_order(group, records, strengths, rules.all_tie_breaks, rules.lot_seed)
    ]


def _row(place: int, ranked: Ranked, record: Record, strength: Fraction, is_out: bool) -> Row:
    return Row(
        player=ranked.player,
        place=place,
        points=record.points,
        played=len(record.at_tables),
        wins=record.wins,
        regions=record.regions,
        strength=strength,
        byes=record.byes,
        decided_by=ranked.decided_by,
        results=record.results,
        is_out=is_out,
    )


def _helps(tables: Iterable[TableFacts], rules: ScoringRules) -> Iterator[Help]:
    for table in sorted(tables, key=lambda table: (table.round, table.table)):
        for seat, facts in enumerate(table.seats):
            score, shares = score_of(seat, table, rules), shares_of(facts, rules.split)
            for player in _helpers(facts):
                share = shares.get(player, Fraction(0))
                yield Help(player, facts.seated, table.round, table.table, score, share)


def _helpers(facts: SeatFacts) -> tuple[int, ...]:
    """Who held the seat of another, each once, in order."""
    held = dict.fromkeys([holder.player for holder in facts.holders])
    return tuple([player for player in held if player is not None and player != facts.seated])


# Who plays in which division next: promotion, relegation, free places, and those who wait.
#
# The first of a lower division and the last of an upper one change places, as far as they play again. Where a
# division is short of somebody, whoever finished first in the division below comes up, and so on down; who
# has just been relegated is called back only when nobody else is left there. Free places at the bottom go to
# those who wait. Where a division has too many, its last who neither came up nor down goes down.


class BadMove(ValueError):
    """A plan by which nobody can be moved."""


class Move(StrEnum):
    """Why somebody plays where he plays, or does not."""

    PROMOTED = "promoted"
    RELEGATED = "relegated"
    STAYS = "stays"
    MOVES_UP = "moves up"  # a place was free
    NEW = "new"
    NO_PLACE = "no place"


@dataclass(frozen=True, slots=True)
class Moved:
    """The next divisions, the highest first: in each the better of last season before the worse, newcomers
    after them; and each one's reason. Who does not play again is in neither."""

    divisions: tuple[tuple[int, ...], ...]
    reasons: Mapping[int, Move]


@dataclass(frozen=True, slots=True, order=True)
class _Seed:
    """Somebody who plays again: in which division and at which place he finished, and where that leads."""

    division: int
    place: int
    player: int
    step: int = 0  # -1 is promoted, 1 relegated


def require_movable(sizes: Sequence[int], promoted: int, relegated: int) -> None:
    """BadMove where more would move than a division of these sizes has, or fewer than nobody."""
    if promoted < 0 or relegated < 0:
        raise BadMove("Nobody can be promoted or relegated less than not at all.")
    for division, size in enumerate(sizes):
        leaving = (promoted if division else 0) + (relegated if division < len(sizes) - 1 else 0)
        if leaving > size:
            raise BadMove(f"Division {division + 1} has {size}, of whom {leaving} would move.")


def next_divisions(
    finals: Sequence[Sequence[int]],
    *,
    promoted: int,
    relegated: int,
    staying: Collection[int],
    waiting: Sequence[int],
    sizes: Sequence[int],
    least: int = 1,
) -> Moved:
    """The divisions of the next season.

    `finals` are the final orders of the last season's divisions, the highest first; none before the first
    season. `staying` have signed up again, and have a place whatever the sizes: the last division takes them
    all. `waiting` get what is free, in their order. A last division of fewer than `least` joins that above.
    Raises BadMove where more would move than there are, and for anybody given twice or from nowhere.
    """
    _require_sense(finals, staying, waiting, sizes)
    require_movable([len(final) for final in finals], promoted, relegated)
    pools = _pools(_seeds(finals, promoted, relegated, set(staying)), len(sizes))
    for division, size in enumerate(sizes):
        _send_down(pools, division, size)
        _call_up(pools, division, size)
    seated = {seed.player for pool in pools for seed in pool}
    newcomers = [player for player in waiting if player not in seated]
    free = max(sum(sizes) - len(seated), 0)
    divisions = _joined(_with_newcomers(pools, newcomers[:free], sizes), least)
    return Moved(tuple(divisions), _reasons(divisions, pools, newcomers, free))


def _require_sense(
    finals: Sequence[Sequence[int]], staying: Collection[int], waiting: Sequence[int], sizes: Sequence[int]
) -> None:
    finished = [player for final in finals for player in final]
    if len(finished) != len(set(finished)) or len(waiting) != len(set(waiting)):
        raise BadMove("Somebody is given twice.")
    if set(staying) - set(finished) - set(waiting):
        raise BadMove("Somebody stays who has not been there.")
    if not sizes or min(sizes) < 1:
        raise BadMove("A division has room for somebody.")


def _seeds(
    finals: Sequence[Sequence[int]], promoted: int, relegated: int, staying: set[int]
) -> Iterable[_Seed]:
    for division, final in enumerate(finals):
        is_last = division == len(finals) - 1
        for place, player in enumerate(final):
            rises = division > 0 and place < promoted
            falls = not is_last and place >= len(final) - relegated
            if player in staying:
                yield _Seed(division, place, player, falls - rises)


def _pools(seeds: Iterable[_Seed], divisions: int) -> list[list[_Seed]]:
    """Everybody in the division where his place leads; what is no longer there is the last."""
    pools: list[list[_Seed]] = [[] for _ in range(divisions)]
    for seed in seeds:
        pools[min(seed.division + seed.step, divisions - 1)].append(seed)
    return pools


def _send_down(pools: list[list[_Seed]], division: int, size: int) -> None:
    """Too many: the last who neither came up nor down go down; then who fell into it, then the others."""
    if division == len(pools) - 1:
        return
    pool = pools[division]

    def yields(seed: _Seed) -> tuple[bool, bool, int, int]:
        return seed.division == division, seed.division < division, seed.division, seed.place

    while len(pool) > size:
        last = max(pool, key=yields)
        pool.remove(last)
        pools[division + 1].append(last)


def _call_up(pools: list[list[_Seed]], division: int, size: int) -> None:
    """Too few: the first of the next lower division that has anybody comes up; last, who fell into it."""
    lower = range(division + 1, len(pools))
    while len(pools[division]) < size and any(pools[below] for below in lower):
        below = next(below for below in lower if pools[below])
        first = min(pools[below], key=lambda seed: (seed.division < below, seed))
        pools[below].remove(first)
        pools[division].append(first)


def _with_newcomers(
    pools: Sequence[Iterable[_Seed]], newcomers: Sequence[int], sizes: Sequence[int]
) -> list[tuple[int, ...]]:
    """The divisions in order of their seeds; free places are only at the bottom, and filled from above."""
    divisions, left = [], list(newcomers)
    for pool, size in zip(pools, sizes, strict=True):
        players = [seed.player for seed in sorted(pool)]
        free = max(size - len(players), 0)
        divisions.append((*players, *left[:free]))
        left = left[free:]
    return [division for division in divisions if division]


def _joined(divisions: list[tuple[int, ...]], least: int) -> list[tuple[int, ...]]:
    while len(divisions) > 1 and len(divisions[-1]) < least:
        *upper, above, last = divisions
        divisions = [*upper, (*above, *last)]
    return divisions


def _reasons(
    divisions: Iterable[Iterable[int]], pools: Iterable[Iterable[_Seed]], newcomers: Sequence[int], free: int
) -> dict[int, Move]:
    now = {player: division for division, players in enumerate(divisions) for player in players}
    reasons = {seed.player: _reason(seed, now[seed.player]) for pool in pools for seed in pool}
    reasons |= dict.fromkeys(newcomers[:free], Move.NEW)
    return reasons | dict.fromkeys(newcomers[free:], Move.NO_PLACE)


def _reason(seed: _Seed, division: int) -> Move:
    if division == seed.division:
        return Move.STAYS
    if division > seed.division:
        return Move.RELEGATED
    return Move.PROMOTED if seed.step < 0 else Move.MOVES_UP
