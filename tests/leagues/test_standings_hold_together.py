"""Standings of seasons made up at random: what is true of all of them, whatever happened at the tables."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.leagues.scoring.computed_standings import standings
from games.leagues.scoring.scoring_methods import (
    ByeRule,
    ScoringMethod,
    ScoringRules,
    SplitRule,
    TieBreak,
    usual_placement,
)
from games.leagues.scoring.table_facts import ByeFacts, Holder, SeatFacts, TableEnding, TableFacts
from games.leagues.scoring.table_points import scores_of, shares_of

pytestmark = pytest.mark.once

PLAYERS = range(1, 10)
OUTSIDERS = (101, 102)

rules = st.builds(
    ScoringRules,
    scoring=st.sampled_from(ScoringMethod),
    tie_breaks=st.permutations(TieBreak).map(tuple),
    split=st.sampled_from(SplitRule),
    bye=st.sampled_from(ByeRule),
    lot_seed=st.binary(max_size=4),
)


def seat(player: int, away: list[int], code: int) -> SeatFacts:
    """Draw a seat of this player, perhaps held later by a bot, an outsider, or a player of another table."""
    code, regions = divmod(code, 4)
    code, bonus = divmod(code, 2)
    code, place = divmod(code, 3)
    code, turns = divmod(code, 4)
    code, later_turns = divmod(code, 4)
    holders = [Holder(player, turns)]
    if code:
        holders.append(Holder([None, *OUTSIDERS, *away][code % (3 + len(away))], later_turns))
    if code % 2:
        holders.append(Holder(player, 2))
    return SeatFacts(tuple(holders), regions, 5 * bonus, won=place == 0, place=place + 1)


@st.composite
def tables(draw: st.DrawFn, number: int = 1, in_round: int = 1) -> TableFacts:
    size = draw(st.integers(2, 6))
    first, step = draw(st.integers(0, 8)), draw(st.sampled_from([1, 2, 4]))
    seated = [PLAYERS[(first + step * seat) % 9] for seat in range(size)]
    away = [player for player in PLAYERS if player not in seated]
    codes = draw(st.lists(st.integers(0, 4 * 2 * 3 * 4 * 4 * 10), min_size=size, max_size=size))
    awarded = st.tuples(*[st.none() | st.integers(-2, 9).map(Fraction) for _ in seated])
    return TableFacts(
        number,
        in_round,
        tuple([seat(player, away, code) for player, code in zip(seated, codes, strict=True)]),
        draw(st.sampled_from([TableEnding.RULES, *TableEnding])),
        awarded=draw(st.none() | awarded),
    )


@st.composite
def seasons(draw: st.DrawFn) -> tuple[list[TableFacts], list[ByeFacts]]:
    numbers = [(10 * n + number, n) for n in range(1, draw(st.integers(0, 3)) + 1) for number in (1, 2)]
    byes = st.builds(ByeFacts, st.sampled_from(PLAYERS), st.integers(1, 4))
    return [draw(tables(*number)) for number in numbers], draw(st.lists(byes, max_size=2))


out = st.sets(st.sampled_from(PLAYERS), max_size=3)


def given_by(table: TableFacts, rules: ScoringRules) -> Fraction:
    """Return the total points of a table without awards, computed in another way than the scoring does."""
    if table.how == TableEnding.ABANDONED:
        return Fraction(0)
    match rules.scoring:
        case ScoringMethod.POINTS:
            return Fraction(sum(seat.regions + seat.bonus for seat in table.seats))
        case ScoringMethod.PLACEMENT:
            return sum(usual_placement(len(table.seats)), Fraction(0))
        case ScoringMethod.WINS:
            return Fraction(any(seat.won for seat in table.seats))


@given(tables(), rules)
def test_the_seats_points_add_up_to_what_the_table_gives(table: TableFacts, rules: ScoringRules) -> None:
    scores = scores_of(replace(table, awarded=None), rules)

    assert sum(score.points for score in scores) == given_by(table, rules)
    assert all(score.points == sum(term.amount for term in score.terms) for score in scores)


@given(tables(), rules)
def test_the_parts_of_a_seat_are_all_of_it(table: TableFacts, rules: ScoringRules) -> None:
    for seat in table.seats:
        shares = shares_of(seat, rules.split)
        assert sum(shares.values()) == 1
        assert set(shares) <= {holder.player for holder in seat.holders}
        assert min(shares.values()) >= 0


@given(seasons(), rules, out)
@pytest.mark.long
def test_all_points_are_somebodys_or_a_bots(season: tuple, rules: ScoringRules, out: set[int]) -> None:
    tables, byes = season
    standing = standings(PLAYERS, tables, byes, rules, out)

    at_tables = [result.points for row in standing.rows for result in row.results if result.table is not None]
    helped = [one.points for one in standing.substitute_results]
    lost = [
        score.points * shares_of(seat, rules.split).get(None, Fraction(0))
        for table in tables
        for seat, score in zip(table.seats, scores_of(table, rules), strict=True)
    ]
    scored = [score.points for table in tables for score in scores_of(table, rules)]
    assert sum(at_tables) + sum(helped) + sum(lost) == sum(scored)


@given(seasons(), rules, out)
def test_everyone_has_one_place_and_a_reason_for_it(
    season: tuple, rules: ScoringRules, out: set[int]
) -> None:
    rows = standings(PLAYERS, *season, rules, out).rows

    assert sorted(row.player for row in rows) == list(PLAYERS)
    assert [row.place for row in rows] == list(range(1, len(PLAYERS) + 1))
    assert [row.player in out for row in rows] == [False] * (len(rows) - len(out)) + [True] * len(out)
    assert rows[0].decided_by is None
    for upper, lower in pairwise(rows):
        decided = lower.decided_by
        if upper.is_out != lower.is_out:
            assert decided is None
        elif decided is None:
            assert upper.points > lower.points
        else:
            assert upper.points == lower.points
            assert (decided.value < decided.above) == (decided.tie_break != TieBreak.LOT)
            assert decided.value != decided.above


@given(seasons(), rules, out, st.randoms(use_true_random=False))
def test_the_order_in_which_things_are_given_changes_nothing(
    season: tuple, rules: ScoringRules, out: set[int], random: Random
) -> None:
    def mixed(things: list) -> list:
        return random.sample(things, len(things))

    tables, byes = season
    plain = standings(PLAYERS, tables, byes, rules, out)
    assert standings(mixed(list(PLAYERS)), mixed(tables), mixed(byes), rules, sorted(out)) == plain
    assert standings(mixed(list(PLAYERS)), mixed(tables), [*byes, *byes], rules, out) == plain


@given(seasons(), rules, out)
def test_someone_who_helps_stands_where_they_would_have_stood(
    season: tuple, rules: ScoringRules, out: set[int]
) -> None:
    tables, byes = season
    standing = standings(PLAYERS, tables, byes, rules, out)

    others = standings(PLAYERS, [_helped_by_an_outsider(table) for table in tables], byes, rules, out)
    assert others.rows == standing.rows


def _helped_by_an_outsider(table: TableFacts) -> TableFacts:
    """Return the same table, where no player of the season held another's seat."""
    seats = [
        replace(
            seat,
            holders=tuple(
                [
                    holder if holder.player in (None, seat.seated) else Holder(999, holder.turns)
                    for holder in seat.holders
                ]
            ),
        )
        for seat in table.seats
    ]
    return replace(table, seats=tuple(seats))


@given(seasons(), rules)
def test_a_later_round_changes_no_table_before_it(season: tuple, rules: ScoringRules) -> None:
    tables, _byes = season
    before = standings(PLAYERS, tables[:2], (), rules)
    after = standings(PLAYERS, tables, (), rules)

    told = {row.player: row.results for row in after.rows}
    assert all(told[row.player][: len(row.results)] == row.results for row in before.rows)
