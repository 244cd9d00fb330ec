"""The standing of a division: everybody in order, with every number's reasons, and beside it who helped."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from .facts import ByeFacts, SeatFacts, TableFacts
from .points import Score, score_of, shares_of
from .records import Record, RoundResult, records_of
from .rules import ScoringRules
from .tie_breaks import Decided, Ranked, Values, in_order, strengths_of


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
