"""Standings of a division: tie-breaks, order, promotion and relegation.

Pure: reads neither the database nor the clock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hmac import digest
from math import comb

from games.leagues.scoring import (
    ByeFacts,
    PlayerResults,
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
    return sum([values[player] for player in players], Fraction(0)) / max(len(players), 1)


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
            return dict.fromkeys(group, Fraction(0))
        return {player: self._among(player, group) for player in group}

    def _among(self, player: int, group: set[int]) -> Fraction:
        """Return the player's points per table, over tables where they met anyone of the group."""
        return average([result for result in self.records[player].results if group.intersection(result.met)])


def _parted(values: Values, asked: TieBreak) -> list[list[int]]:
    """Group players with equal values, the best first: the highest value or, for lots, the lowest."""
    best_first = sorted(set(values.values()), reverse=asked != TieBreak.LOT)
    return [[player for player in values if values[player] == value] for value in best_first]


# Standings of a division: everyone in order, with the reasons for every number, and substitutes' results.


@dataclass(frozen=True, slots=True)
class Row:
    """A player's row in the standings.

    `played` counts tables, not byes. A player who `is_out` has withdrawn or was expelled, and ranks after all
    others.
    """

    player: int
    place: int
    points: Fraction
    played: int
    wins: Fraction
    regions: Fraction
    strength_of_schedule: Fraction
    byes: int
    decided_by: Decided | None
    results: tuple[RoundResult, ...]
    is_out: bool = False

    @property
    def average(self) -> Fraction:
        """Points per played table, without byes; 0 before the first."""
        return average([result for result in self.results if result.table is not None])


@dataclass(frozen=True, slots=True)
class Help:
    """A substitute's share of what another player's seat scored.

    It is listed next to the standings and changes no one's place, not even the substitute's own.
    """

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
    """A division's standings after any of its rounds."""

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
    """Return the standings from these tables and byes; the order of the arguments does not matter.

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
    records: Mapping[int, PlayerResults], strengths: Values, rules: ScoringRules, out: set[int]
) -> list[Ranked]:
    staying = [player for player in records if player not in out]
    gone = [player for player in records if player in out]
    return [
        one
        for group in (staying, gone)
        for one in in_order(group, records, strengths, rules.all_tie_breaks, rules.lot_seed)
    ]


def _row(
    place: int, ranked: Ranked, record: PlayerResults, strength_of_schedule: Fraction, is_out: bool
) -> Row:
    return Row(
        player=ranked.player,
        place=place,
        points=record.points,
        played=len(record.at_tables),
        wins=record.wins,
        regions=record.regions,
        strength_of_schedule=strength_of_schedule,
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
    """Return the holders of someone else's seat, each once, in order."""
    held = dict.fromkeys([holder.player for holder in facts.holders])
    return tuple([player for player in held if player is not None and player != facts.seated])


# The next season's divisions: promotion, relegation, free places and the waiting list.
#
# The first of a lower division and the last of an upper one change places, as far as they play again. A gap
# in a division is filled by the best finisher of the division below, and so on down. Players just relegated
# are called back only when no one else is left there. Free places at the bottom go to the waiting list. If a
# division has too many players, its last who were neither promoted nor relegated go down.


class BadMove(ValueError):
    """A plan by which no one can be moved."""


@dataclass(frozen=True, slots=True, order=True)
class _Seed:
    """A player who plays again: the division and place where they finished, and the move that follows."""

    division: int
    place: int
    player: int
    step: int = 0  # -1 is promoted, 1 relegated


def require_movable(sizes: Sequence[int], promoted: int, relegated: int) -> None:
    """Raise BadMove if more players would move than a division of these sizes has, or a negative number."""
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
) -> tuple[tuple[int, ...], ...]:
    """Return the divisions of the next season, the highest first.

    In each, players are in order of last season's results, with newcomers after them.
    `finals` are the final orders of the last season's divisions, the highest first; none before the first
    season.
    `staying` have signed up again and get a place whatever the sizes: the last division takes any rest.
    `waiting` get free places, in their order.
    Raises BadMove if more would move than there are, and for anyone given twice or not known.
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
    return _with_newcomers(pools, newcomers[:free], sizes)


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
    """Put each player into the division their place leads to, or the last if that no longer exists."""
    pools: list[list[_Seed]] = [[] for _ in range(divisions)]
    for seed in seeds:
        pools[min(seed.division + seed.step, divisions - 1)].append(seed)
    return pools


def _send_down(pools: list[list[_Seed]], division: int, size: int) -> None:
    """Send surplus players down: the last who were not moved, then those relegated here, then the others."""
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
    """Fill gaps with the first of the next lower division that has anyone; relegated players come last."""
    lower = range(division + 1, len(pools))
    while len(pools[division]) < size and any(pools[below] for below in lower):
        below = next(below for below in lower if pools[below])
        first = min(pools[below], key=lambda seed: (seed.division < below, seed))
        pools[below].remove(first)
        pools[division].append(first)


def _with_newcomers(
    pools: Sequence[Iterable[_Seed]], newcomers: Sequence[int], sizes: Sequence[int]
) -> tuple[tuple[int, ...], ...]:
    """Return the divisions in order of their seeds; free places, at the bottom only, fill from above."""
    divisions, left = [], list(newcomers)
    for pool, size in zip(pools, sizes, strict=True):
        players = [seed.player for seed in sorted(pool)]
        free = max(size - len(players), 0)
        divisions.append((*players, *left[:free]))
        left = left[free:]
    return tuple([division for division in divisions if division])
