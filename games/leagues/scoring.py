"""Points for tables: a season's rules, the facts of its tables, and what each player scored.

Pure: reads neither the database nor the clock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise

# A season's scoring rules: chosen before it begins, independent of any game.


class BadRules(ValueError):
    """Rules by which no season can be scored."""


class Scoring(StrEnum):
    """How seats score: by points as in Playing for Points (R27), by place, or by wins."""

    POINTS = "points"
    PLACEMENT = "placement"
    WINS = "wins"


class TieBreak(StrEnum):
    """What is compared between players with equal points (see standings.py for each)."""

    HEAD_TO_HEAD = "head_to_head"
    WINS = "wins"
    REGIONS = "regions"
    STRENGTH_OF_SCHEDULE = "strength_of_schedule"
    LOT = "lot"


class Split(StrEnum):
    """The owners of the points of a seat with several holders: each by their turns, the first, or the last.

    A bot's part is lost.
    """

    SHARE = "share"
    STARTER = "starter"
    FINISHER = "finisher"


class Bye(StrEnum):
    """The points of a round without a table: an average, or nothing.

    The average is that of one's own tables, but never more than that of all seats in the division.
    """

    AVERAGE = "average"
    NOTHING = "nothing"


USUAL_TIE_BREAKS = (
    TieBreak.HEAD_TO_HEAD,
    TieBreak.WINS,
    TieBreak.REGIONS,
    TieBreak.STRENGTH_OF_SCHEDULE,
    TieBreak.LOT,
)

# A victory is worth the same at every table, and the last place nothing. So tables of two sizes can be part
# of one season.
_USUAL_PLACEMENT = {
    2: (6, 0),
    3: (6, 2, 0),
    4: (6, 3, 1, 0),
    5: (6, 4, 2, 1, 0),
    6: (6, 4, 3, 2, 1, 0),
}


def usual_placement(size: int) -> tuple[Fraction, ...]:
    """Return the points of each place, from the first, at a table of this size.

    Raises BadRules for any size but 2 to 6.
    """
    if size not in _USUAL_PLACEMENT:
        raise BadRules(f"No table has {size} seats.")
    return tuple([Fraction(points) for points in _USUAL_PLACEMENT[size]])


def placement_at(size: int, points: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return the points of each place at a table of this size, given those at another table.

    First and last place keep theirs; those between are read off the straight lines between the points given.
    """
    step = Fraction(len(points) - 1, size - 1)
    return tuple([_between(points, place * step) for place in range(size)])


def _between(points: Sequence[Fraction], at: Fraction) -> Fraction:
    below = points[min(int(at) + 1, len(points) - 1)]
    return points[int(at)] + (below - points[int(at)]) * (at - int(at))


@dataclass(frozen=True, slots=True)
class ScoringRules:
    """How a season scores.

    `placement` has its own points per place, by table size; a missing size has the default ones.
    Lots are drawn from `lot_seed`, after all other tie-breaks.
    """

    scoring: Scoring = Scoring.POINTS
    placement: Mapping[int, tuple[Fraction, ...]] = field(default_factory=dict)
    tie_breaks: tuple[TieBreak, ...] = USUAL_TIE_BREAKS
    split: Split = Split.SHARE
    bye: Bye = Bye.AVERAGE
    lot_seed: bytes = b""

    def __post_init__(self) -> None:
        for size, points in self.placement.items():
            _require_placement(size, points)

    def points_by_place(self, size: int) -> tuple[Fraction, ...]:
        """Return the points of each place, from the first, at a table of this size."""
        return self.placement.get(size) or usual_placement(size)

    @property
    def all_tie_breaks(self) -> tuple[TieBreak, ...]:
        """The tie-breaks in the order in which they decide; lots come last, so that the order is total."""
        return (*[one for one in self.tie_breaks if one != TieBreak.LOT], TieBreak.LOT)


def _require_placement(size: int, points: tuple[Fraction, ...]) -> None:
    if len(points) != size:
        raise BadRules(f"A table of {size} has points for {size} places.")
    if any(lower > higher for higher, lower in pairwise(points)):
        raise BadRules("No place gives more points than a better one.")


# Facts about a season's tables, as values: everything that standings may be computed from.
#
# Players are plain numbers; nothing here knows who they are, what time it is, or how a game is stored.


class BadFacts(ValueError):
    """Contradictory facts about a table or its players."""


class How(StrEnum):
    """How a table ended: by the rules, its players, their absence, or the season's organisers."""

    RULES = "rules"
    AGREEMENT = "agreement"
    ABANDONED = "abandoned"
    ADJUDICATED = "adjudicated"
    AWARDED = "awarded"


@dataclass(frozen=True, slots=True)
class Holder:
    """A holder of a seat, with the number of its turns they played; None is a bot in an empty seat.

    In the turns they `missed` they ran out of time; these count for their reliability only.
    """

    player: int | None
    turns: int = 0
    missed: int = 0

    def __post_init__(self) -> None:
        if self.turns < 0:
            raise BadFacts("Nobody holds a seat in fewer than no turns.")


@dataclass(frozen=True, slots=True)
class SeatFacts:
    """The results of a seat, over all games of its table.

    `holders` are in order; the first was seated by the draw.
    `bonus` is what victories by connected regions scored (R27).
    `place` counts from 1, and ties share it: 1, 2, 2, 4.
    `left`: at the end the clock or a bot played for its last holder. It counts for ratings only.
    """

    holders: tuple[Holder, ...]
    regions: int = 0
    bonus: int = 0
    won: bool = False
    place: int = 1
    left: bool = False

    def __post_init__(self) -> None:
        if not self.holders:
            raise BadFacts("A seat has somebody who was seated.")
        if self.place < 1:
            raise BadFacts("Places count from 1.")

    @property
    def seated(self) -> int | None:
        """The player originally seated here, regardless of later holders."""
        return self.holders[0].player


@dataclass(frozen=True, slots=True)
class TableFacts:
    """The results of a table.

    `awarded` has the organiser's points for each seat, None where the table's own points count.
    `reason` is the organiser's.
    """

    table: int
    round: int
    seats: tuple[SeatFacts, ...]
    how: How = How.RULES
    reason: str = ""
    awarded: tuple[Fraction | None, ...] | None = None

    def __post_init__(self) -> None:
        if self.awarded is not None and len(self.awarded) != len(self.seats):
            raise BadFacts("Points are awarded to each seat, or None.")
        seated = self.seated
        if len(seated) != len(set(seated)):
            raise BadFacts("Somebody sits at a table twice.")

    @property
    def seated(self) -> tuple[int, ...]:
        """The players who were seated here, in seat order."""
        return tuple([seat.seated for seat in self.seats if seat.seated is not None])


@dataclass(frozen=True, slots=True)
class ByeFacts:
    """A player who had no table in a round, because an odd number of players played duels."""

    player: int
    round: int


# The points of each seat of a table, term by term, and how they are shared.
#
# An abandoned table gives no points: no one was left playing, and no one won. Awarded points replace the
# seat's own and are split in the same way. Seats that share a place or a victory share its points equally.


_NO_POINTS, _ALL = Fraction(0), Fraction(1)


class What(StrEnum):
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
        return sum([term.amount for term in self.terms], _NO_POINTS)


def scores_of(table: TableFacts, rules: ScoringRules) -> tuple[Score, ...]:
    """Return the score of each seat of the table."""
    return tuple([score_of(seat, table, rules) for seat in range(len(table.seats))])


def score_of(seat: int, table: TableFacts, rules: ScoringRules) -> Score:
    """Return the score of the seat with this number."""
    awarded = table.awarded[seat] if table.awarded else None
    if awarded is not None:
        return Score((Term(What.AWARDED, awarded),))
    if table.how == How.ABANDONED:
        return Score((Term(What.ABANDONED, _NO_POINTS),))
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
    """Return the terms by points: 1 for each region, plus what connected victories scored (R27)."""
    regions = Term(What.REGIONS, Fraction(facts.regions), facts.regions)
    bonus = Term(What.BONUS, Fraction(facts.bonus))
    return (regions, bonus) if facts.bonus else (regions,)


def _by_place(facts: SeatFacts, table: TableFacts, points: tuple[Fraction, ...]) -> Term:
    """Return the term by place; seats that share a place share the points of all places they fill."""
    better = sum([other.place < facts.place for other in table.seats])
    among = sum([other.place == facts.place for other in table.seats])
    filled = points[better : better + among]
    return Term(What.PLACE, sum(filled, _NO_POINTS) / among, better + 1, among)


def _by_victory(facts: SeatFacts, table: TableFacts) -> Term:
    won = wins_of(facts, table)
    return Term(What.VICTORY, won, among=_winners(table)) if won else Term(What.DEFEAT, _NO_POINTS)


def wins_of(facts: SeatFacts, table: TableFacts) -> Fraction:
    """Return 1 for a victory, or the share of a shared one. No one wins an abandoned table."""
    if not facts.won or table.how == How.ABANDONED:
        return _NO_POINTS
    return Fraction(1, _winners(table))


def regions_of(facts: SeatFacts, table: TableFacts) -> int:
    """Return the regions that count for a seat; none at an abandoned table."""
    return 0 if table.how == How.ABANDONED else facts.regions


def _winners(table: TableFacts) -> int:
    return sum([seat.won for seat in table.seats])


def shares_of(seat: SeatFacts, split: Split) -> Mapping[int | None, Fraction]:
    """Return each holder's share of the seat's points, wins and regions; None is a bot, whose share is lost.

    If no one has had a turn yet, the first holder gets everything.
    """
    turns = sum([holder.turns for holder in seat.holders])
    if split == Split.FINISHER:
        return {seat.holders[-1].player: _ALL}
    if split == Split.STARTER or not turns:
        return {seat.seated: _ALL}
    shares: dict[int | None, Fraction] = {}
    for holder in seat.holders:
        shares[holder.player] = shares.get(holder.player, _NO_POINTS) + Fraction(holder.turns, turns)
    return shares


# The record of each ranked player: their results round by round, and their opponents.
#
# Only players seated by the draw have a result at a table. Substitutes have none there: whether they play
# well or badly, their own record does not change.


_NONE = Fraction(0)


@dataclass(frozen=True, slots=True)
class RoundResult:
    """A player's result in a round: `share` of what the seat scored. A bye has no table.

    `wins` and `regions` are the player's share of the seat's.
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
    return sum(points, _NONE) / max(len(points), 1)


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
    """Return the average of the player's own tables in all rounds, at most that of the division's seats.

    Without own tables, it is that of the seats, which includes every seat, whatever its holders.
    """
    if rules.bye == Bye.NOTHING:
        return Score((Term(What.BYE, _NONE, 0),))
    typical = _mean(seats)
    if own and average(own) <= typical:
        return Score((Term(What.BYE, average(own), len(own)),))
    return Score((Term(What.TYPICAL_BYE, typical, len(seats)),))
