"""The points of each seat of a table, term by term, and how a seat's holders share them.

An abandoned table gives no points: no one was left playing, and no one won. Awarded points replace the
seat's own and are split in the same way. Seats that share a place or a victory share its points equally.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from games.leagues.scoring.scoring_methods import ScoringMethod, ScoringRules, SplitRule
from games.leagues.scoring.table_facts import SeatFacts, TableEnding, TableFacts

ZERO, _ALL = Fraction(0), Fraction(1)


class PointsFor(StrEnum):
    """What points are given for."""

    REGIONS = "regions"  # `count` of them
    BONUS = "bonus"  # connected victories (R27)
    PLACE = "place"  # the place `count`, shared by `among`
    VICTORY = "victory"  # shared by `among`
    DEFEAT = "defeat"
    AWARDED = "awarded"  # by an organiser, with a reason
    ABANDONED = "abandoned"
    BYE = "bye"  # no table in that round: the average of one's own `count` tables
    TYPICAL_BYE = "typical bye"  # the average over `count` seats of the division: the most that a bye gives


@dataclass(frozen=True, slots=True)
class Term:
    """One reason for points, as shown on a page: "3 regions: 3", "2nd to 3rd place, shared by 2: 2"."""

    what: PointsFor
    amount: Fraction
    count: int = 1
    among: int = 1


@dataclass(frozen=True, slots=True)
class LeagueScore:
    """Points, and the terms that add up to them."""

    terms: tuple[Term, ...]

    @property
    def points(self) -> Fraction:
        return sum([term.amount for term in self.terms], ZERO)


def scores_of(table: TableFacts, rules: ScoringRules) -> tuple[LeagueScore, ...]:
    """Return the score of each seat of the table."""
    return tuple([score_of(seat, table, rules) for seat in range(len(table.seats))])


def score_of(seat: int, table: TableFacts, rules: ScoringRules) -> LeagueScore:
    """Return the score of the seat with this number."""
    awarded = table.awarded[seat] if table.awarded else None
    if awarded is not None:
        return LeagueScore((Term(PointsFor.AWARDED, awarded),))
    if table.how == TableEnding.ABANDONED:
        return LeagueScore((Term(PointsFor.ABANDONED, ZERO),))
    return LeagueScore(_own_terms(table.seats[seat], table, rules))


def _own_terms(facts: SeatFacts, table: TableFacts, rules: ScoringRules) -> tuple[Term, ...]:
    match rules.scoring:
        case ScoringMethod.POINTS:
            return _by_points(facts)
        case ScoringMethod.PLACEMENT:
            return (_by_place(facts, table, rules.points_by_place(len(table.seats))),)
        case ScoringMethod.WINS:
            return (_by_victory(facts, table),)


def _by_points(facts: SeatFacts) -> tuple[Term, ...]:
    """Return the terms by points: 1 for each region, plus what connected victories scored (R27)."""
    regions = Term(PointsFor.REGIONS, Fraction(facts.regions), facts.regions)
    bonus = Term(PointsFor.BONUS, Fraction(facts.bonus))
    return (regions, bonus) if facts.bonus else (regions,)


def _by_place(facts: SeatFacts, table: TableFacts, points: tuple[Fraction, ...]) -> Term:
    """Return the term by place; seats that share a place share the points of all places they fill."""
    better = sum([other.place < facts.place for other in table.seats])
    among = sum([other.place == facts.place for other in table.seats])
    filled = points[better : better + among]
    return Term(PointsFor.PLACE, sum(filled, ZERO) / among, better + 1, among)


def _by_victory(facts: SeatFacts, table: TableFacts) -> Term:
    won = wins_of(facts, table)
    return Term(PointsFor.VICTORY, won, among=_winners(table)) if won else Term(PointsFor.DEFEAT, ZERO)


def wins_of(facts: SeatFacts, table: TableFacts) -> Fraction:
    """Return 1 for a victory, or the share of a shared one. No one wins an abandoned table."""
    if not facts.won or table.how == TableEnding.ABANDONED:
        return ZERO
    return Fraction(1, _winners(table))


def regions_of(facts: SeatFacts, table: TableFacts) -> int:
    """Return the regions that count for a seat; none at an abandoned table."""
    return 0 if table.how == TableEnding.ABANDONED else facts.regions


def _winners(table: TableFacts) -> int:
    return sum([seat.won for seat in table.seats])


def shares_of(seat: SeatFacts, split: SplitRule) -> Mapping[int | None, Fraction]:
    """Return each holder's share of the seat's points, wins and regions; None is a bot, whose share is lost.

    If no one has had a turn yet, the first holder gets everything.
    """
    turns = sum([holder.turns for holder in seat.holders])
    if split == SplitRule.FINISHER:
        return {seat.holders[-1].player: _ALL}
    if split == SplitRule.STARTER or not turns:
        return {seat.seated: _ALL}
    shares: dict[int | None, Fraction] = {}
    for holder in seat.holders:
        shares[holder.player] = shares.get(holder.player, ZERO) + Fraction(holder.turns, turns)
    return shares
