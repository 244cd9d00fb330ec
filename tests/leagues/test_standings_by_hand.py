"""A season's standing, computed with pencil and paper: three rounds, eight players in fours, six tables.

Of each table its seats, as (points of Playing for Points, place):

    11  Anna 10 1st   Bruno 4 2nd   Carla 4 2nd   Dario 1 4th
    12  Elsa  3 3rd   Fabio 6 1st   Gina  4 2nd   Hugo  1 4th
    21  Anna  2 4th   Bruno 10 1st  Elsa  3 3rd   Fabio 4 2nd
    22  Carla 5 1st   Dario 3 3rd   Gina  5 1st   Hugo  1 4th
    31  Anna  4 2nd   Carla 3 3rd   Elsa  9 1st   Gina  2 4th
    32  Bruno 2 4th   Dario 6 1st   Fabio 3 3rd   Hugo  4 2nd
"""

from dataclasses import replace
from fractions import Fraction

import pytest

from games.leagues.scoring.computed_standings import ComputedStandings, standings
from games.leagues.scoring.scoring_methods import ByeRule, ScoringMethod, ScoringRules, SplitRule, TieBreak
from games.leagues.scoring.table_facts import BadFacts, ByeFacts, TableEnding, TableFacts
from games.leagues.scoring.table_points import PointsFor
from games.leagues.scoring.tie_breaks import Decided, drawn_order
from tests.leagues.tables_by_hand import (
    ANNA,
    BRUNO,
    CARLA,
    DARIO,
    EIGHT,
    ELSA,
    FABIO,
    GINA,
    HUGO,
    SEASON,
    seat,
    table,
)

pytestmark = pytest.mark.once

HALF = Fraction(1, 2)


def by_points(standing: ComputedStandings) -> list[tuple[int, Fraction]]:
    return [(row.player, row.points) for row in standing.rows]


def decisions(standing: ComputedStandings) -> dict[int, tuple[TieBreak, Fraction, Fraction]]:
    """Return the players that a tie-break put below the one above, the tie-break, and both values."""
    return {
        row.player: (row.decided_by.tie_break, row.decided_by.value, row.decided_by.above)
        for row in standing.rows
        if row.decided_by is not None
    }


def test_playing_for_points() -> None:
    standing = standings(EIGHT, SEASON, (), ScoringRules(ScoringMethod.POINTS))

    assert by_points(standing) == [
        (BRUNO, 16),
        (ANNA, 16),
        (ELSA, 15),
        (FABIO, 13),
        (CARLA, 12),
        (GINA, 11),
        (DARIO, 10),
        (HUGO, 6),
    ]
    # Anna and Bruno met at tables 11 and 21: 10 and 2 are 6 a table, 4 and 10 are 7.
    assert decisions(standing) == {ANNA: (TieBreak.HEAD_TO_HEAD, 6, 7)}


def test_placement_points() -> None:
    standing = standings(EIGHT, SEASON, (), ScoringRules(ScoringMethod.PLACEMENT))

    assert by_points(standing) == [
        (FABIO, 10),
        (ANNA, 9),
        (BRUNO, 8),
        (ELSA, 8),
        (CARLA, 7 + HALF),
        (GINA, 7 + HALF),
        (DARIO, 7),
        (HUGO, 3),
    ]
    assert decisions(standing) == {
        ELSA: (TieBreak.HEAD_TO_HEAD, 1, 6),  # table 21
        GINA: (TieBreak.HEAD_TO_HEAD, Fraction(9, 4), Fraction(11, 4)),  # 4½ and 0 against 4½ and 1
    }


def test_wins_with_every_tie_break_but_the_first() -> None:
    """Five have one victory, and Dario and Elsa never met, so head to head decides nothing."""
    seed = b"season 1"
    first, second = drawn_order((ANNA, BRUNO), seed)
    standing = standings(EIGHT, SEASON, (), ScoringRules(ScoringMethod.WINS, lot_seed=seed))

    assert by_points(standing) == [
        (FABIO, 1),
        (first, 1),
        (second, 1),
        (ELSA, 1),
        (DARIO, 1),
        (CARLA, HALF),
        (GINA, HALF),
        (HUGO, 0),
    ]
    drawn = drawn_order(EIGHT, seed)
    assert decisions(standing) == {
        first: (TieBreak.REGIONS, 11, 13),
        second: (TieBreak.LOT, drawn.index(second) + 1, drawn.index(first) + 1),
        ELSA: (TieBreak.REGIONS, 10, 11),
        DARIO: (TieBreak.STRENGTH_OF_SCHEDULE, Fraction(11, 54), Fraction(13, 54)),
        GINA: (TieBreak.REGIONS, 11, 12),  # both have ½ and 0 of the tables 22 and 31
    }


def test_a_mini_table_of_three_and_one_of_two_who_never_met() -> None:
    three_two_one = ScoringRules(ScoringMethod.PLACEMENT, {4: tuple(map(Fraction, (3, 2, 1, 0)))})
    standing = standings(EIGHT, SEASON, (), three_two_one)

    assert by_points(standing) == [
        (FABIO, 6),
        (ELSA, 5),
        (ANNA, 5),
        (CARLA, 5),
        (BRUNO, 4 + HALF),
        (GINA, 4 + HALF),
        (DARIO, 4),
        (HUGO, 2),
    ]
    assert decisions(standing) == {
        ANNA: (TieBreak.HEAD_TO_HEAD, Fraction(5, 3), 2),  # 3, 0, 2 at 11, 21, 31; Elsa 1, 3 at 21, 31
        CARLA: (TieBreak.HEAD_TO_HEAD, Fraction(5, 4), Fraction(5, 3)),  # 1½, 1 at 11, 31
        GINA: (TieBreak.WINS, HALF, 1),
    }


def test_tie_breaks_are_asked_in_the_order_stated() -> None:
    rules = ScoringRules(ScoringMethod.PLACEMENT, tie_breaks=(TieBreak.REGIONS, TieBreak.HEAD_TO_HEAD))

    assert decisions(standings(EIGHT, SEASON, (), rules)) == {
        ELSA: (TieBreak.REGIONS, 10, 11),
        GINA: (TieBreak.REGIONS, 11, 12),
    }


def test_the_numbers_of_a_line() -> None:
    anna = standings(EIGHT, SEASON, (), ScoringRules(ScoringMethod.POINTS)).rows[1]

    assert (anna.player, anna.place, anna.played, anna.byes) == (ANNA, 2, 3, 0)
    assert (anna.wins, anna.regions) == (1, 11)
    # Met: Bruno 16/3 and Carla 4 twice, Elsa 5 twice, Dario 10/3, Fabio 13/3, Gina 11/3: 40 over nine.
    assert anna.strength_of_schedule == Fraction(40, 9)
    assert [(one.round, one.table, one.points, one.share) for one in anna.results] == [
        (1, 11, 10, 1),
        (2, 21, 2, 1),
        (3, 31, 4, 1),
    ]
    assert [(term.what, term.amount, term.count) for term in anna.results[0].score.terms] == [
        (PointsFor.REGIONS, 5, 5),
        (PointsFor.BONUS, 5, 1),
    ]


def test_a_bye_gives_the_average_of_ones_own_tables() -> None:
    standing = standings(EIGHT, SEASON[:4], [ByeFacts(DARIO, 3)], ScoringRules(ScoringMethod.POINTS))
    [dario] = [row for row in standing.rows if row.player == DARIO]

    assert (dario.points, dario.played, dario.byes) == (6, 2, 1)
    bye = dario.results[-1]
    assert (bye.round, bye.table, bye.points) == (3, None, 2)
    assert [(term.what, term.count) for term in bye.score.terms] == [(PointsFor.BYE, 2)]


def test_a_bye_never_gives_more_than_the_divisions_average() -> None:
    standing = standings(EIGHT, SEASON[:4], [ByeFacts(ANNA, 3)], ScoringRules(ScoringMethod.POINTS))
    anna = standing.rows[0]

    # Their own tables gave 10 and 2, the 16 seats 66.
    assert (anna.player, anna.points) == (ANNA, 12 + Fraction(66, 16))
    assert [(term.what, term.count) for term in anna.results[-1].score.terms] == [(PointsFor.TYPICAL_BYE, 16)]


def test_a_bye_before_ones_first_table_gives_the_divisions_average() -> None:
    rules = ScoringRules(ScoringMethod.POINTS)
    ivo = 9
    standing = standings([*EIGHT, ivo], SEASON[:2], [ByeFacts(ivo, 1)], rules)

    [row] = [row for row in standing.rows if row.player == ivo]
    assert (row.points, row.played) == (Fraction(33, 8), 0)
    assert [(term.what, term.count) for term in row.results[0].score.terms] == [(PointsFor.TYPICAL_BYE, 8)]


@pytest.mark.parametrize("split", SplitRule)
def test_the_divisions_average_counts_what_substitutes_and_bots_earned(split: SplitRule) -> None:
    ivo, rules = 9, ScoringRules(ScoringMethod.WINS, split=split)
    for by in (HUGO, None):
        standing = standings([*EIGHT, ivo], with_substitute(by), [ByeFacts(ivo, 1)], rules)

        [row] = [row for row in standing.rows if row.player == ivo]
        # Each of the six tables gives one victory to its four seats, no matter who held them.
        assert row.points == Fraction(1, 4)


def test_a_bye_may_give_nothing() -> None:
    rules = ScoringRules(ScoringMethod.POINTS, bye=ByeRule.NOTHING)
    standing = standings(EIGHT, SEASON, [ByeFacts(HUGO, 4)], rules)

    assert by_points(standing)[-1] == (HUGO, 6)
    assert standing.rows[-1].byes == 1


def test_before_the_first_table_lots_alone_decide() -> None:
    rules = ScoringRules(lot_seed=b"s")
    standing = standings(EIGHT, (), [ByeFacts(ANNA, 1)], rules)

    assert standing.order == drawn_order(EIGHT, b"s")
    assert standing.rows[0].decided_by is None
    assert standing.rows[1].decided_by == Decided(TieBreak.LOT, Fraction(2), Fraction(1))
    assert {row.points for row in standing.rows} == {0}


def test_lots_follow_from_the_published_seed_alone() -> None:
    # printf "condottiere-lot-1 1" | openssl dgst -sha256 -hmac "season 1", and so on, sorted
    assert drawn_order(EIGHT, b"season 1") == (3, 5, 2, 7, 6, 1, 8, 4)
    assert drawn_order(EIGHT, b"season 2") != drawn_order(EIGHT, b"season 1")
    assert drawn_order((8, 1, 5), b"season 1") == (5, 1, 8)


def test_someone_who_has_left_stands_after_all_who_have_not() -> None:
    standing = standings(EIGHT, SEASON, (), ScoringRules(ScoringMethod.POINTS), out={BRUNO, ELSA})

    assert standing.order == (ANNA, FABIO, CARLA, GINA, DARIO, HUGO, BRUNO, ELSA)
    assert [row.place for row in standing.rows] == list(range(1, 9))
    assert [row.player for row in standing.rows if row.is_out] == [BRUNO, ELSA]
    assert decisions(standing) == {}


def with_substitute(by: int | None = HUGO) -> tuple[TableFacts, ...]:
    """Return the season, with Bruno's seat at table 21 taken over after 4 of its 10 turns."""
    taken = seat(BRUNO, 5, 1, bonus=5, turns=4, then=[(by, 6)])
    return tuple(
        replace(one, seats=(one.seats[0], taken, *one.seats[2:])) if one.table == 21 else one
        for one in SEASON
    )


def test_a_substitute_stands_next_to_the_standing() -> None:
    standing = standings(EIGHT, with_substitute(), (), ScoringRules(ScoringMethod.POINTS))

    [row] = [row for row in standing.rows if row.player == BRUNO]
    assert (row.points, row.played) == (10, 3)  # 4 of 10 points, and 4 and 2 of the other tables
    assert (row.wins, row.regions) == (Fraction(2, 5), 8)
    [hugo] = [row for row in standing.rows if row.player == HUGO]
    assert (hugo.place, hugo.points, hugo.played, hugo.wins) == (8, 6, 3, 0)
    [helped] = standing.substitute_results
    assert (helped.player, helped.seated, helped.round, helped.table) == (HUGO, BRUNO, 2, 21)
    assert (helped.points, helped.share, helped.score.points) == (6, Fraction(3, 5), 10)


@pytest.mark.parametrize(
    ("split", "brunos", "helpers"), [(SplitRule.STARTER, 16, 0), (SplitRule.FINISHER, 6, 10)]
)
def test_a_substitute_is_named_whatever_the_split(split: SplitRule, brunos: int, helpers: int) -> None:
    standing = standings(EIGHT, with_substitute(), (), ScoringRules(ScoringMethod.POINTS, split=split))

    assert dict(by_points(standing))[BRUNO] == brunos
    assert [(one.player, one.points) for one in standing.substitute_results] == [(HUGO, helpers)]


def test_what_a_bot_played_for_is_lost() -> None:
    standing = standings(EIGHT, with_substitute(by=None), (), ScoringRules(ScoringMethod.POINTS))

    assert dict(by_points(standing))[BRUNO] == 10
    assert standing.substitute_results == ()


def test_an_abandoned_table_counts_as_played_and_met() -> None:
    left = [replace(one, how=TableEnding.ABANDONED) if one.table == 11 else one for one in SEASON]
    standing = standings(EIGHT, left, (), ScoringRules(ScoringMethod.POINTS))

    [anna] = [row for row in standing.rows if row.player == ANNA]
    assert (anna.points, anna.played, anna.wins, anna.regions) == (6, 3, 0, 6)
    assert [term.what for term in anna.results[0].score.terms] == [PointsFor.ABANDONED]


def test_awarded_points_carry_through() -> None:
    awarded = replace(
        SEASON[0], awarded=(None, Fraction(0), Fraction(0), Fraction(9)), reason="Agreed to lose."
    )
    standing = standings(EIGHT, [awarded, *SEASON[1:]], (), ScoringRules(ScoringMethod.POINTS))

    assert dict(by_points(standing)) == {
        DARIO: 18,
        ANNA: 16,
        ELSA: 15,
        FABIO: 13,
        BRUNO: 12,
        GINA: 11,
        CARLA: 8,
        HUGO: 6,
    }


def test_someone_who_is_not_ranked_is_nobodys_opponent() -> None:
    standing = standings((ANNA, BRUNO), SEASON, (), ScoringRules(ScoringMethod.POINTS))

    assert standing.order == (BRUNO, ANNA)
    assert [row.strength_of_schedule for row in standing.rows] == [Fraction(16, 3), Fraction(16, 3)]


def test_a_season_of_tables_of_several_sizes() -> None:
    tables = [
        table(1, 1, seat(1, place=1), seat(2, place=2), seat(3, place=3)),
        table(2, 1, seat(4, place=1), seat(5, place=2)),
    ]
    standing = standings(range(1, 6), tables, (), ScoringRules(ScoringMethod.PLACEMENT))

    assert {row.player: row.points for row in standing.rows} == {1: 6, 2: 2, 3: 0, 4: 6, 5: 0}


def test_no_one_and_nothing_is_given_twice() -> None:
    with pytest.raises(BadFacts):
        standings((ANNA, ANNA), (), (), ScoringRules())
    with pytest.raises(BadFacts):
        standings(EIGHT, (SEASON[0], SEASON[0]), (), ScoringRules())


def test_no_one_at_all_has_an_empty_standing() -> None:
    assert standings((), (), (), ScoringRules()) == ComputedStandings(())
