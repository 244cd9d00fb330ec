"""The places that players can still reach, from finished tables alone.

Sound, not exact: a place that can still be reached is never ruled out, but one that can't may stay open.
Players keep what they have at finished tables. At each table to come they get between the least and the most
that any table gives. Equal points can go either way, whatever the tie-breaks. No one leaves or joins, and no
result is changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from games.leagues.scoring.computed_standings import ComputedStandings, StandingsRow
from games.leagues.scoring.scoring_methods import ScoringMethod, ScoringRules
from games.leagues.scoring.table_facts import TableFacts
from games.leagues.scoring.table_points import ZERO, scores_of

_ONE = Fraction(1)
_SIZES = range(2, 7)


@dataclass(frozen=True, slots=True)
class PlaceRange:
    """The best and the worst place that a player can still have at the end."""

    best: int
    worst: int


@dataclass(frozen=True, slots=True)
class ToCome:
    """What a division has yet to play.

    `rounds` are the rounds of each player without a result or a bye, and `byes` all their byes, counted or
    not. `begun` are the players of each table that has begun. `most_regions` is the most that regions can
    bring to a seat at one table; None if there is no limit.
    """

    rounds: Mapping[int, int]
    byes: Mapping[int, int]
    begun: Sequence[Collection[int]]
    most_regions: Fraction | None

    @property
    def is_over(self) -> bool:
        return not any(self.rounds.values()) and not self.begun


@dataclass(frozen=True, slots=True)
class _Bounds:
    """What a player has at finished tables, and the least and most they can have at the end."""

    player: int
    have: Fraction
    least: Fraction
    most: Fraction


def possible_places(
    standings: ComputedStandings, tables: Iterable[TableFacts], to_come: ToCome, rules: ScoringRules
) -> dict[int, PlaceRange]:
    """Return the places within reach of everyone who still plays; none if points have no limit."""
    rows = [row for row in standings.rows if not row.is_out]
    if to_come.is_over:
        return {row.player: PlaceRange(row.place, row.place) for row in rows}
    most = _most_at_table(rules, to_come.most_regions)
    if most is None:
        return {}
    scored = [score.points for table in tables for score in scores_of(table, rules)]
    low, high = min([*scored, _least_at_table(rules)]), max([*scored, most])
    bounds = [_bounds_of(row, to_come, low, high) for row in rows]
    supply = _supply(to_come, rules, high)
    return {one.player: _range_of(one, bounds, supply) for one in bounds}


def _most_at_table(rules: ScoringRules, most_regions: Fraction | None) -> Fraction | None:
    match rules.scoring:
        case ScoringMethod.POINTS:
            return most_regions
        case ScoringMethod.PLACEMENT:
            return max([rules.points_by_place(size)[0] for size in _SIZES])
        case ScoringMethod.WINS:
            return _ONE


def _least_at_table(rules: ScoringRules) -> Fraction:
    """Return the least a table gives: nothing if it's abandoned, or less if a place costs points."""
    if rules.scoring != ScoringMethod.PLACEMENT:
        return ZERO
    return min([ZERO, *[rules.points_by_place(size)[-1] for size in _SIZES]])


def _bounds_of(row: StandingsRow, to_come: ToCome, low: Fraction, high: Fraction) -> _Bounds:
    """Return a player's bounds. Byes count as open rounds: their averages change with every table."""
    have = sum([result.points for result in row.results if result.table is not None], ZERO)
    open_rounds = to_come.rounds.get(row.player, 0)
    each = to_come.byes.get(row.player, 0) + open_rounds
    return _Bounds(row.player, have, have + low * each, have + high * each)


def _supply(to_come: ToCome, rules: ScoringRules, high: Fraction) -> Fraction:
    """Return the most that all players together can still get.

    A table that has begun gives each place once. A table that hasn't may begin with other players, or become
    a bye: each seat counts as the best.
    """
    seated = sum([len(players) for players in to_come.begun])
    others = sum([*to_come.rounds.values(), *to_come.byes.values()]) - seated
    return sum([_most_of_table(len(players), rules, high) for players in to_come.begun], others * high)


def _most_of_table(size: int, rules: ScoringRules, high: Fraction) -> Fraction:
    match rules.scoring:
        case ScoringMethod.POINTS:
            return size * high
        case ScoringMethod.PLACEMENT:
            return sum([max(points, ZERO) for points in rules.points_by_place(size)], ZERO)
        case ScoringMethod.WINS:
            return _ONE


def _range_of(own: _Bounds, everyone: Sequence[_Bounds], supply: Fraction) -> PlaceRange:
    others = [one for one in everyone if one.player != own.player]
    ahead = sum([one.least > own.most for one in others])
    needs = sorted([max(own.least - one.have, ZERO) for one in others if one.most >= own.least])
    return PlaceRange(1 + ahead, 1 + _most_who_can(needs, supply))


def _most_who_can(needs: Iterable[Fraction], supply: Fraction) -> int:
    """Return how many can have what they need, the most modest first, from what there is for all."""
    count = 0
    for need in needs:
        supply -= need
        if supply < 0:
            break
        count += 1
    return count
