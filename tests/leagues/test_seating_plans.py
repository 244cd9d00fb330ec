"""Seasons seated ahead: known designs, even seats at every moment, and limits that hold for every seed."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.leagues.seating import (
    BadSeating,
    Seated,
    history_of,
    plan_rounds,
    rounds_for_everybody,
    table_sizes,
)
from games.leagues.seating.designs import design
from tests.leagues.seating_by_hand import SEED, balance_of, partitions

pytestmark = pytest.mark.once


@st.composite
def plans(draw: st.DrawFn) -> tuple[list[int], int, int, bytes]:
    size = draw(st.integers(2, 6))
    players = draw(st.lists(st.integers(-5, 10_000), min_size=min(size, 3), max_size=11, unique=True))
    return players, size, draw(st.integers(0, 7)), draw(st.binary(max_size=8))


def games_of(player: int, plan: tuple[Seated, ...]) -> list[int]:
    """Return each player's place after the first seat, game after game."""
    return [table.index(player) for seated in plan for table in seated.tables if player in table]


@given(plans())
def test_every_plan_seats_everyone_as_fairly_as_can_be(asked: tuple[list[int], int, int, bytes]) -> None:
    players, size, rounds, seed = asked
    plan = plan_rounds(players, size, rounds, seed)
    assert len(plan) == rounds
    everybody_sits_once_or_has_a_bye(plan, players, size)
    nobody_holds_a_seat_again_before_every_other(plan, players, size)
    firsts_and_byes_differ_by_one_at_most_at_every_moment(plan)


def everybody_sits_once_or_has_a_bye(plan: tuple[Seated, ...], players: list[int], size: int) -> None:
    for seated in plan:
        assert sorted(seated.players) == sorted(players)
        assert tuple(map(len, seated.tables)) == table_sizes(len(players), size)
        assert len(seated.byes) == (len(players) % 2 if size == 2 else 0)


def nobody_holds_a_seat_again_before_every_other(
    plan: tuple[Seated, ...], players: list[int], size: int
) -> None:
    """Not counting the last seats of larger tables."""
    size = table_sizes(len(players), size)[-1]
    for player in players:
        held = [seat for seat in games_of(player, plan) if seat < size]
        for start in range(0, len(held), size):
            stretch = held[start : start + size]
            assert len(set(stretch)) == len(stretch)


def firsts_and_byes_differ_by_one_at_most_at_every_moment(plan: tuple[Seated, ...]) -> None:
    for played in range(len(plan) + 1):
        balance = balance_of(plan[:played])
        assert balance.firsts[1] - balance.firsts[0] <= 1
        assert balance.byes[1] - balance.byes[0] <= 1


@given(plans(), st.randoms(use_true_random=False))
@pytest.mark.long
def test_a_plan_does_not_depend_on_the_order_of_names(asked, chance) -> None:
    players, size, rounds, seed = asked
    plan = plan_rounds(players, size, rounds, seed)
    assert plan_rounds(chance.sample(players, len(players)), size, rounds, seed) == plan
    assert plan_rounds(set(players), size, rounds, seed) == plan


@pytest.mark.parametrize(("players", "size", "rounds"), [(9, 3, 4), (16, 4, 5), (25, 5, 6), (15, 3, 7)])
def test_where_a_perfect_plan_is_known_everyone_meets_once(players: int, size: int, rounds: int) -> None:
    plan = plan_rounds(range(players), size, rounds, SEED)
    assert set(history_of(plan).meetings.values()) == {1}
    assert balance_of(plan).met == balance_of(plan).pairs
    assert rounds_for_everybody(players, size) == rounds


def test_after_a_perfect_plan_it_begins_again() -> None:
    twice = history_of(plan_rounds(range(16), 4, 10, SEED)).meetings
    assert set(twice.values()) == {2}
    once_and_a_half = Counter(history_of(plan_rounds(range(16), 4, 8, SEED)).meetings.values())
    assert once_and_a_half == {2: 72, 1: 48}


@pytest.mark.parametrize("players", [2, 3, 4, 7, 10, 11, 24, 25])
def test_duellists_meet_everyone_once_and_no_one_waits_twice(players: int) -> None:
    rounds = rounds_for_everybody(players, 2)
    assert rounds == (players if players % 2 else players - 1)
    plan = plan_rounds(range(players), 2, rounds, SEED)
    balance = balance_of(plan)
    assert (balance.met, balance.most_meetings) == (balance.pairs, 1)
    assert balance.byes == (players % 2, players % 2)


@pytest.mark.parametrize(
    ("players", "size"), [(9, 3), (15, 3), (16, 4), (20, 4), (21, 3), (25, 5), (35, 5), (11, 2)]
)
def test_in_a_known_design_no_two_meet_twice(players: int, size: int) -> None:
    rounds = design(players, size)
    meetings = Counter(
        frozenset(pair) for tables in rounds for table in tables for pair in combinations(table, 2)
    )
    assert len(rounds) >= players // size
    assert set(meetings.values()) == {1}


@pytest.mark.parametrize("seed", [b"", b"1", b"another", bytes(32)])
def test_24_in_fours_meet_no_one_again_in_five_rounds(seed: bytes) -> None:
    assert balance_of(plan_rounds(range(24), 4, 5, seed)).repeats == 0


@pytest.mark.parametrize("seed", [b"", b"another"])
def test_100_in_fives_meet_no_one_again_in_six_rounds(seed: bytes) -> None:
    assert balance_of(plan_rounds(range(100), 5, 6, seed)).repeats == 0


@pytest.mark.parametrize(
    ("size", "players", "sizes"),
    [
        (4, 23, (5, 5, 5, 4, 4)),
        (4, 11, (4, 4, 3)),
        (4, 6, (3, 3)),
        (4, 3, (3,)),
        (4, 2, ()),
        (3, 5, (5,)),
        (5, 24, (5, 5, 5, 5, 4)),
        (6, 8, (4, 4)),
        (2, 7, (2, 2, 2)),
    ],
)
def test_tables_are_of_the_seasons_size_or_a_seat_larger_or_smaller(
    size: int, players: int, sizes: tuple[int, ...]
) -> None:
    assert table_sizes(players, size) == sizes


@pytest.mark.parametrize("size", range(3, 7))
def test_three_or_more_are_always_seated(size: int) -> None:
    assert all(sum(table_sizes(players, size)) == players for players in range(3, 121))


@pytest.mark.parametrize(
    ("players", "repeats", "opponents"),
    [
        (26, 0, (13, 14)),
        (34, 0, (13, 14)),
        # Any two rounds of 11 have two pairs in common, of 13 four, of 17 one, of 19 three.
        pytest.param(23, 0, (14, 16), marks=pytest.mark.long),
        (11, 12, (8, 12)),
        (13, 24, (13, 14)),
        pytest.param(17, 6, (12, 16), marks=pytest.mark.long),
        pytest.param(19, 18, (13, 16), marks=pytest.mark.long),
    ],
)
def test_tables_of_mixed_sizes_repeat_as_little_as_can_be(
    players: int, repeats: int, opponents: tuple[int, int]
) -> None:
    balance = balance_of(plan_rounds(range(players), 4, 4, SEED))
    assert (balance.repeats, balance.byes) == (repeats, (0, 0))
    assert opponents[0] <= balance.opponents[0] <= balance.opponents[1] <= opponents[1]


def test_a_seed_draws_who_is_who_and_every_season_is_as_good() -> None:
    plans = [plan_rounds(range(12), 4, 3, b"%d" % number) for number in range(10)]
    assert len(set(plans)) == 10
    assert len({balance_of(plan) for plan in plans}) == 1


@pytest.mark.parametrize(
    ("players", "size"),
    [
        (6, 3),
        (7, 3),
        (8, 4),
        (10, 5),
        (11, 4),
        (12, 4),
    ],
)
@pytest.mark.long
def test_everyone_meets_everyone_where_rounds_allow(players: int, size: int) -> None:
    rounds = rounds_for_everybody(players, size)
    for more in range(2):
        balance = balance_of(plan_rounds(range(players), size, rounds + more, SEED))
        assert balance.met == balance.pairs


def test_six_in_threes_cannot_all_meet_in_three_rounds() -> None:
    """With any seating, no one can have had every seat."""
    ways = [
        frozenset(frozenset(pair) for table in tables for pair in combinations(table, 2))
        for tables in partitions(range(6), 3)
    ]
    assert max(len(one | other | third) for one in ways for other in ways for third in ways) < 15
    assert rounds_for_everybody(6, 3) > 3


def test_one_table_plays_as_many_rounds_as_are_wanted() -> None:
    plan = plan_rounds([3, 1, 2], 3, 30, SEED)
    assert balance_of(plan).firsts == balance_of(plan).places == (10, 10)
    assert rounds_for_everybody(3, 3) == 1


def test_no_rounds_are_a_plan_and_fewer_are_none() -> None:
    assert plan_rounds(range(8), 4, 0, SEED) == ()
    with pytest.raises(BadSeating):
        plan_rounds(range(8), 4, -1, SEED)
    with pytest.raises(BadSeating):
        plan_rounds(range(2), 4, 1, SEED)
    with pytest.raises(BadSeating):
        rounds_for_everybody(2, 4)
