"""What a table gives to each of its seats, term by term, and who gets how much of it.

An abandoned table gives nothing to anybody: nobody was left who played, and nobody won. Where points were
awarded they stand instead of the seat's own, and are split as those would be. Seats that share a place, or a
victory, share equally what it gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from .facts import How, SeatFacts, TableFacts
from .rules import Scoring, ScoringRules, Split

_NONE, _ALL = Fraction(0), Fraction(1)


class What(StrEnum):
    """What points are for."""

    REGIONS = "regions"  # `count` of them
    BONUS = "bonus"  # connected victories (R27)
    PLACE = "place"  # the place `count`, shared by `among`
    VICTORY = "victory"  # shared by `among`
    DEFEAT = "defeat"
    AWARDED = "awarded"  # by an organiser, with his reason
    ABANDONED = "abandoned"
    BYE = "bye"  # no table in that round: the average of one's own `count` tables
    FIRST_BYE = "first bye"  # with no table of one's own yet: the average over `count` seats of the division


@dataclass(frozen=True, slots=True)
class Term:
    """One reason for points, as a page tells it: "3 regions: 3", "2nd to 3rd place, shared by 2: 2"."""

    what: What
    amount: Fraction
    count: int = 1
    among: int = 1


@dataclass(frozen=True, slots=True)
class Score:
    """Points, and the terms that add up to them."""

    terms: tuple[Term, ...]

    @property
    def points(self) -> Fraction:
        return sum([term.amount for term in self.terms], _NONE)


def scores_of(table: TableFacts, rules: ScoringRules) -> tuple[Score, ...]:
    """What the table gives to each seat."""
    return tuple([score_of(seat, table, rules) for seat in range(len(table.seats))])


def score_of(seat: int, table: TableFacts, rules: ScoringRules) -> Score:
    """What the table gives to the seat of this number."""
    awarded = table.awarded[seat] if table.awarded else None
    if awarded is not None:
        return Score((Term(What.AWARDED, awarded),))
    if table.how == How.ABANDONED:
        return Score((Term(What.ABANDONED, _NONE),))
    return Score(_own_terms(table.seats[seat], table, rules))


def _own_terms(facts: SeatFacts, table: TableFacts, rules: ScoringRules) -> tuple[Term, ...]:
    match rules.scoring:
        case Scoring.POINTS:
            return _by_points(facts)
        case Scoring.PLACEMENT:
            return (_by_place(facts, table, rules.points_by_place(len(table.seats))),)
        case Scoring.WINS:
            return (_by_victory(facts, table),)


def _by_points(facts: SeatFacts) -> tuple[Term, ...]:
    """1 for a region, and what connected victories scored (R27)."""
    regions = Term(What.REGIONS, Fraction(facts.regions), facts.regions)
    bonus = Term(What.BONUS, Fraction(facts.bonus))
    return (regions, bonus) if facts.bonus else (regions,)


def _by_place(facts: SeatFacts, table: TableFacts, points: tuple[Fraction, ...]) -> Term:
    """Who share a place share the points of the places that they fill together."""
    better = sum([other.place < facts.place for other in table.seats])
    among = sum([other.place == facts.place for other in table.seats])
    filled = points[better : better + among]
    return Term(What.PLACE, sum(filled, _NONE) / among, better + 1, among)


def _by_victory(facts: SeatFacts, table: TableFacts) -> Term:
    won = wins_of(facts, table)
    return Term(What.VICTORY, won, among=_winners(table)) if won else Term(What.DEFEAT, _NONE)


def wins_of(facts: SeatFacts, table: TableFacts) -> Fraction:
    """1 for a victory; a shared one counts for its share. Nobody wins an abandoned table."""
    if not facts.won or table.how == How.ABANDONED:
        return _NONE
    return Fraction(1, _winners(table))


def regions_of(facts: SeatFacts, table: TableFacts) -> int:
    """The regions that count for a seat; none at an abandoned table."""
    return 0 if table.how == How.ABANDONED else facts.regions


def _winners(table: TableFacts) -> int:
    return sum([seat.won for seat in table.seats])


def shares_of(seat: SeatFacts, split: Split) -> Mapping[int | None, Fraction]:
    """Which part of the seat's points, wins and regions falls to whom; None is a bot, whose part is lost.

    Where nobody has had a turn yet, all is the starter's.
    """
    turns = sum([holder.turns for holder in seat.holders])
    if split == Split.FINISHER:
        return {seat.holders[-1].player: _ALL}
    if split == Split.STARTER or not turns:
        return {seat.seated: _ALL}
    shares: dict[int | None, Fraction] = {}
    for holder in seat.holders:
        shares[holder.player] = shares.get(holder.player, _NONE) + Fraction(holder.turns, turns)
    return shares
