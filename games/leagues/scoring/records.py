"""What each ranked person has to show: his results round by round, and whom he met.

Only who was seated by the draw has a result at a table. Who held another's seat has none there: whether he
helped well or badly, his own record is the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from .facts import BadFacts, ByeFacts, TableFacts
from .points import Score, Term, What, regions_of, score_of, scores_of, shares_of, wins_of
from .rules import Bye, ScoringRules

_NONE = Fraction(0)


@dataclass(frozen=True, slots=True)
class RoundResult:
    """What a round brought somebody: `share` of what the seat scored. A bye has no table.

    `wins` and `regions` are his share of the seat's.
    """

    round: int
    table: int | None
    score: Score
    share: Fraction = Fraction(1)
    wins: Fraction = _NONE
    regions: Fraction = _NONE
    met: tuple[int, ...] = ()

    @property
    def points(self) -> Fraction:
        return self.score.points * self.share


@dataclass(frozen=True, slots=True)
class Record:
    """All results of one person, in the order of rounds."""

    player: int
    results: tuple[RoundResult, ...] = ()

    @property
    def at_tables(self) -> tuple[RoundResult, ...]:
        """The results without byes."""
        return tuple([result for result in self.results if result.table is not None])

    @property
    def points(self) -> Fraction:
        return sum([result.points for result in self.results], _NONE)

    @property
    def wins(self) -> Fraction:
        return sum([result.wins for result in self.results], _NONE)

    @property
    def regions(self) -> Fraction:
        return sum([result.regions for result in self.results], _NONE)

    @property
    def byes(self) -> int:
        return len(self.results) - len(self.at_tables)

    @property
    def average(self) -> Fraction:
        """Points per played table, byes left out; 0 before the first."""
        return average(self.at_tables)

    @property
    def met(self) -> tuple[int, ...]:
        """The ranked opponents, as often as met."""
        return tuple([opponent for result in self.results for opponent in result.met])


def average(results: Collection[RoundResult]) -> Fraction:
    """Points per result; 0 where there is none."""
    return _mean([result.points for result in results])


def _mean(points: Collection[Fraction]) -> Fraction:
    return sum(points, _NONE) / max(len(points), 1)


def records_of(
    players: Collection[int], tables: Iterable[TableFacts], byes: Iterable[ByeFacts], rules: ScoringRules
) -> dict[int, Record]:
    """The record of everybody who is ranked, whatever the order in which anything is given.

    Who is not ranked is nobody's opponent. Raises BadFacts for players or tables given twice.
    """
    tables = tuple(tables)
    _require_once(players, "player")
    _require_once([table.table for table in tables], "table")
    results = _results_at_tables(sorted(players), tables, rules)
    seats = [score.points for table in tables for score in scores_of(table, rules)]
    rest = _results_of_byes(results, seats, set(byes), rules)
    return {
        player: Record(player, tuple(sorted([*own, *rest.get(player, ())], key=_by_round)))
        for player, own in results.items()
    }


def _require_once(given: Collection[int], what: str) -> None:
    if len(given) != len(set(given)):
        raise BadFacts(f"A {what} is given twice.")


def _by_round(result: RoundResult) -> tuple[int, int]:
    return result.round, result.table or 0


def _results_at_tables(
    players: Iterable[int], tables: Iterable[TableFacts], rules: ScoringRules
) -> dict[int, list[RoundResult]]:
    results: dict[int, list[RoundResult]] = {player: [] for player in players}
    for table in tables:
        for seat, facts in enumerate(table.seats):
            if facts.seated in results:
                results[facts.seated].append(_result(seat, table, results, rules))
    return results


def _result(seat: int, table: TableFacts, ranked: Collection[int], rules: ScoringRules) -> RoundResult:
    facts = table.seats[seat]
    share = shares_of(facts, rules.split).get(facts.seated, _NONE)
    return RoundResult(
        table.round,
        table.table,
        score_of(seat, table, rules),
        share,
        wins_of(facts, table) * share,
        regions_of(facts, table) * share,
        tuple([other for other in table.seated if other != facts.seated and other in ranked]),
    )


def _results_of_byes(
    results: Mapping[int, list[RoundResult]],
    seats: Collection[Fraction],
    byes: Iterable[ByeFacts],
    rules: ScoringRules,
) -> dict[int, list[RoundResult]]:
    rest: dict[int, list[RoundResult]] = {}
    for bye in byes:
        if bye.player in results:
            score = _score_of_bye(results[bye.player], seats, rules)
            rest.setdefault(bye.player, []).append(RoundResult(bye.round, None, score))
    return rest


def _score_of_bye(own: list[RoundResult], seats: Collection[Fraction], rules: ScoringRules) -> Score:
    """The average of the player's own tables, all rounds counted; without any, that of the division's seats,
    whoever held them."""
    if rules.bye == Bye.NOTHING:
        return Score((Term(What.BYE, _NONE, 0),))
    if own:
        return Score((Term(What.BYE, average(own), len(own)),))
    return Score((Term(What.FIRST_BYE, _mean(seats), len(seats)),))
