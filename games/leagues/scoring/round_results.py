"""The results of each ranked player, round by round, and their opponents.

Only players seated by the draw have a result at a table. Substitutes have none there: whether they play
well or badly, their own results do not change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from games.leagues.scoring.scoring_methods import ByeRule, ScoringRules
from games.leagues.scoring.table_facts import BadFacts, ByeFacts, TableFacts
from games.leagues.scoring.table_points import (
    ZERO,
    LeagueScore,
    PointsFor,
    Term,
    regions_of,
    score_of,
    scores_of,
    shares_of,
    wins_of,
)


@dataclass(frozen=True, slots=True)
class RoundResult:
    """A player's result in a round: `share` of what the seat scored. A bye has no table.

    `wins` and `regions` are the player's share of the seat's.
    """

    round: int
    table: int | None
    score: LeagueScore
    share: Fraction = Fraction(1)
    wins: Fraction = ZERO
    regions: Fraction = ZERO
    met: tuple[int, ...] = ()

    @property
    def points(self) -> Fraction:
        return self.score.points * self.share


@dataclass(frozen=True, slots=True)
class PlayerResults:
    """All results of one player, in the order of rounds."""

    player: int
    results: tuple[RoundResult, ...] = ()

    @property
    def at_tables(self) -> tuple[RoundResult, ...]:
        """The results without byes."""
        return tuple([result for result in self.results if result.table is not None])

    @property
    def points(self) -> Fraction:
        return sum([result.points for result in self.results], ZERO)

    @property
    def wins(self) -> Fraction:
        return sum([result.wins for result in self.results], ZERO)

    @property
    def regions(self) -> Fraction:
        return sum([result.regions for result in self.results], ZERO)

    @property
    def byes(self) -> int:
        return len(self.results) - len(self.at_tables)

    @property
    def average(self) -> Fraction:
        """Points per played table, without byes; 0 before the first."""
        return average(self.at_tables)

    @property
    def met(self) -> tuple[int, ...]:
        """The ranked opponents, repeated for each meeting."""
        return tuple([opponent for result in self.results for opponent in result.met])


def average(results: Collection[RoundResult]) -> Fraction:
    """Return the points per result, or 0 without results."""
    return _mean([result.points for result in results])


def _mean(points: Collection[Fraction]) -> Fraction:
    return sum(points, ZERO) / max(len(points), 1)


def records_of(
    players: Collection[int], tables: Iterable[TableFacts], byes: Iterable[ByeFacts], rules: ScoringRules
) -> dict[int, PlayerResults]:
    """Return the record of every ranked player; the order of the arguments does not matter.

    Unranked players do not count as opponents. Raises BadFacts for players or tables given twice.
    """
    tables = tuple(tables)
    _require_once(players, "player")
    _require_once([table.table for table in tables], "table")
    results = _results_at_tables(sorted(players), tables, rules)
    seats = [score.points for table in tables for score in scores_of(table, rules)]
    rest = _results_of_byes(results, seats, set(byes), rules)
    return {
        player: PlayerResults(player, tuple(sorted([*own, *rest.get(player, ())], key=_by_round)))
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
                results[facts.seated].append(_result_of_seat(seat, table, results, rules))
    return results


def _result_of_seat(
    seat: int, table: TableFacts, ranked: Collection[int], rules: ScoringRules
) -> RoundResult:
    facts = table.seats[seat]
    share = shares_of(facts, rules.split).get(facts.seated, ZERO)
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


def _score_of_bye(own: list[RoundResult], seats: Collection[Fraction], rules: ScoringRules) -> LeagueScore:
    """Return the average of the player's own tables in all rounds, at most that of the division's seats.

    Without own tables, it is that of the seats, which includes every seat, whatever its holders.
    """
    if rules.bye == ByeRule.NOTHING:
        return LeagueScore((Term(PointsFor.BYE, ZERO, 0),))
    typical = _mean(seats)
    if own and average(own) <= typical:
        return LeagueScore((Term(PointsFor.BYE, average(own), len(own)),))
    return LeagueScore((Term(PointsFor.TYPICAL_BYE, typical, len(seats)),))
