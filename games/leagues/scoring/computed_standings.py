"""A division's standings: everyone in order, with the reasons for every number, and substitutes' results."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from games.leagues.scoring.round_results import PlayerResults, RoundResult, average, records_of
from games.leagues.scoring.scoring_methods import ScoringRules
from games.leagues.scoring.table_facts import ByeFacts, SeatFacts, TableFacts
from games.leagues.scoring.table_points import ZERO, LeagueScore, score_of, shares_of
from games.leagues.scoring.tie_breaks import Decided, Ranked, Values, in_order, strengths_of


@dataclass(frozen=True, slots=True)
class StandingsRow:
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
class SubstituteResult:
    """A substitute's share of what another player's seat scored.

    It is listed next to the standings and changes no one's place, not even the substitute's own.
    """

    player: int
    seated: int | None
    round: int
    table: int
    score: LeagueScore
    share: Fraction

    @property
    def points(self) -> Fraction:
        return self.score.points * self.share


@dataclass(frozen=True, slots=True)
class ComputedStandings:
    """A division's standings after any of its rounds."""

    rows: tuple[StandingsRow, ...]
    substitute_results: tuple[SubstituteResult, ...] = ()

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
) -> ComputedStandings:
    """Return the standings from these tables and byes; the order of the arguments does not matter.

    `out` are ranked among themselves, after all others. Raises BadFacts for players or tables given twice.
    """
    tables = tuple(tables)
    records = records_of(players, tables, byes, rules)
    strengths = strengths_of(records)
    ranked = _ranked(records, strengths, rules, set(out))
    rows = [
        _standings_row(place, one, records[one.player], strengths[one.player], one.player in out)
        for place, one in enumerate(ranked, start=1)
    ]
    return ComputedStandings(tuple(rows), tuple(_substitute_results(tables, rules)))


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


def _standings_row(
    place: int, ranked: Ranked, record: PlayerResults, strength_of_schedule: Fraction, is_out: bool
) -> StandingsRow:
    return StandingsRow(
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


def _substitute_results(tables: Iterable[TableFacts], rules: ScoringRules) -> Iterator[SubstituteResult]:
    for table in sorted(tables, key=lambda table: (table.round, table.table)):
        for seat, facts in enumerate(table.seats):
            score, shares = score_of(seat, table, rules), shares_of(facts, rules.split)
            for player in _substitutes(facts):
                share = shares.get(player, ZERO)
                yield SubstituteResult(player, facts.seated, table.round, table.table, score, share)


def _substitutes(facts: SeatFacts) -> tuple[int, ...]:
    """Return the holders of someone else's seat, each once, in order."""
    held = dict.fromkeys([holder.player for holder in facts.holders])
    return tuple([player for player in held if player is not None and player != facts.seated])
