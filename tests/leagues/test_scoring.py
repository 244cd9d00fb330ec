"""The points of a table's seats and holders, compared with points counted by hand."""

from fractions import Fraction

import pytest

from games.leagues.scoring.scoring_methods import (
    BadRules,
    ScoringMethod,
    ScoringRules,
    SplitRule,
    TieBreak,
    placement_at,
    usual_placement,
)
from games.leagues.scoring.table_facts import BadFacts, SeatFacts, TableEnding, TableFacts
from games.leagues.scoring.table_points import PointsFor, Term, score_of, scores_of, shares_of
from tests.leagues.tables_by_hand import seat, table

pytestmark = pytest.mark.once

POINTS, PLACEMENT, WINS = (ScoringRules(scoring) for scoring in ScoringMethod)


def points(one: TableFacts, rules: ScoringRules) -> list[Fraction]:
    return [score.points for score in scores_of(one, rules)]


def test_regions_and_connected_victories_score_as_in_playing_for_points() -> None:
    one = table(1, 1, seat(1, 3, bonus=5), seat(2, 4, 2), seat(3, 0, 3))

    assert points(one, POINTS) == [8, 4, 0]
    assert score_of(0, one, POINTS).terms == (
        Term(PointsFor.REGIONS, Fraction(3), 3),
        Term(PointsFor.BONUS, Fraction(5)),
    )
    assert score_of(2, one, POINTS).terms == (Term(PointsFor.REGIONS, Fraction(0), 0),)


def test_each_place_has_its_points() -> None:
    one = table(1, 1, seat(1, place=3), seat(2, place=1), seat(3, place=4), seat(4, place=2))

    assert points(one, PLACEMENT) == [1, 6, 0, 3]
    assert score_of(3, one, PLACEMENT).terms == (Term(PointsFor.PLACE, Fraction(3), 2),)


def test_a_shared_place_shares_the_points_of_the_places_it_fills() -> None:
    one = table(1, 1, seat(1, place=1), seat(2, place=2), seat(3, place=2), seat(4, place=4))

    assert points(one, PLACEMENT) == [6, 2, 2, 0]
    assert score_of(1, one, PLACEMENT).terms == (Term(PointsFor.PLACE, Fraction(2), 2, 2),)


def test_places_counted_without_gaps_mean_the_same() -> None:
    dense = table(1, 1, seat(1, place=1), seat(2, place=1), seat(3, place=2), seat(4, place=3))

    assert points(dense, PLACEMENT) == [Fraction(9, 2), Fraction(9, 2), 1, 0]


def test_a_season_may_have_points_of_its_own_for_some_sizes() -> None:
    rules = ScoringRules(ScoringMethod.PLACEMENT, {3: (Fraction(5), Fraction(3), Fraction(1))})
    three = table(1, 1, seat(1), seat(2, place=2), seat(3, place=3))
    two = table(2, 1, seat(1), seat(2, place=2))

    assert points(three, rules) == [5, 3, 1]
    assert points(two, rules) == [6, 0]


def test_a_victory_is_one_and_a_shared_one_its_share() -> None:
    alone = table(1, 1, seat(1), seat(2, place=2), seat(3, place=3))
    shared = table(2, 1, seat(1), seat(2), seat(3, place=3))
    nobody = table(
        3, 1, seat(1, won=False), seat(2, won=False), seat(3, won=False), how=TableEnding.ADJUDICATED
    )

    assert points(alone, WINS) == [1, 0, 0]
    assert points(shared, WINS) == [Fraction(1, 2), Fraction(1, 2), 0]
    assert points(nobody, WINS) == [0, 0, 0]
    assert score_of(0, shared, WINS).terms == (Term(PointsFor.VICTORY, Fraction(1, 2), 1, 2),)
    assert score_of(2, shared, WINS).terms == (Term(PointsFor.DEFEAT, Fraction(0)),)


@pytest.mark.parametrize("rules", [POINTS, PLACEMENT, WINS])
def test_an_abandoned_table_gives_nothing_to_anyone(rules: ScoringRules) -> None:
    left = table(1, 1, seat(1, 5, bonus=5), seat(2, 4, 2), how=TableEnding.ABANDONED)

    assert points(left, rules) == [0, 0]
    assert score_of(0, left, rules).terms == (Term(PointsFor.ABANDONED, Fraction(0)),)


@pytest.mark.parametrize("rules", [POINTS, PLACEMENT, WINS])
def test_awarded_points_replace_those_of_their_seats(rules: ScoringRules) -> None:
    one = table(1, 1, seat(1, 5), seat(2, 4, 2), seat(3, 1, 3))
    awarded = table(1, 1, *one.seats, how=TableEnding.AWARDED, awarded=(-1, None, 0))

    assert points(awarded, rules) == [-1, points(one, rules)[1], 0]
    assert score_of(0, awarded, rules).terms == (Term(PointsFor.AWARDED, Fraction(-1)),)


def test_points_may_be_awarded_at_an_abandoned_table() -> None:
    left = table(1, 1, seat(1, 5), seat(2, 4, 2), how=TableEnding.ABANDONED, awarded=(3, None))

    assert points(left, POINTS) == [3, 0]


def test_turns_share_a_seat() -> None:
    changed = seat(1, turns=6, then=[(2, 2), (1, 1), (None, 3)])

    assert shares_of(changed, SplitRule.SHARE) == {
        1: Fraction(7, 12),
        2: Fraction(1, 6),
        None: Fraction(1, 4),
    }


def test_the_starter_or_the_finisher_may_have_all() -> None:
    changed = seat(1, turns=6, then=[(None, 3), (2, 1)])
    left_to_a_bot = seat(1, turns=6, then=[(None, 3)])

    assert shares_of(changed, SplitRule.STARTER) == {1: 1}
    assert shares_of(changed, SplitRule.FINISHER) == {2: 1}
    assert shares_of(left_to_a_bot, SplitRule.FINISHER) == {None: 1}


def test_a_seat_without_a_turn_is_the_starters() -> None:
    assert shares_of(seat(1, turns=0, then=[(2, 0)]), SplitRule.SHARE) == {1: 1}


@pytest.mark.parametrize("size", range(2, 7))
def test_a_victory_is_worth_the_same_at_every_table(size: int) -> None:
    usual = usual_placement(size)

    assert (usual[0], usual[-1], len(usual)) == (6, 0, size)
    assert sorted(set(usual), reverse=True) == list(usual)


def test_points_at_tables_of_other_sizes_lie_on_the_lines_between() -> None:
    own = [Fraction(points) for points in (6, 3, 1, 0)]
    assert placement_at(4, own) == tuple(own)
    assert placement_at(5, own) == (6, Fraction(15, 4), 2, Fraction(3, 4), 0)
    assert placement_at(3, own) == (6, 2, 0)
    assert placement_at(2, own) == (6, 0)


def test_rules_that_score_nothing_sensible_are_refused() -> None:
    with pytest.raises(BadRules):
        ScoringRules(ScoringMethod.PLACEMENT, {3: (Fraction(2), Fraction(1))})
    with pytest.raises(BadRules):
        ScoringRules(ScoringMethod.PLACEMENT, {2: (Fraction(0), Fraction(1))})
    with pytest.raises(BadRules):
        usual_placement(7)


def test_facts_that_contradict_themselves_are_refused() -> None:
    with pytest.raises(BadFacts):
        SeatFacts(())
    with pytest.raises(BadFacts):
        seat(1, place=0)
    with pytest.raises(BadFacts):
        seat(1, turns=-1)
    with pytest.raises(BadFacts):
        table(1, 1, seat(1), seat(1, place=2))
    with pytest.raises(BadFacts):
        table(1, 1, seat(1), seat(2, place=2), awarded=(1,))


def test_the_lot_comes_last_wherever_it_is_named() -> None:
    assert ScoringRules(tie_breaks=(TieBreak.LOT, TieBreak.WINS)).all_tie_breaks == (
        TieBreak.WINS,
        TieBreak.LOT,
    )
    assert ScoringRules(tie_breaks=()).all_tie_breaks == (TieBreak.LOT,)
