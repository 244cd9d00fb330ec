"""Sizes of tables in long seasons of few players: one seat fewer, so that no pair meets at every table."""

import json
from pathlib import Path

import pytest

from games.leagues.seating import history_of, plan_rounds, rounds_for_everybody, table_sizes
from games.leagues.seating.table_sizes import ONE_SEAT_FEWER
from tests.leagues.seating_by_hand import SEED, Balance, balance_of
from tests.leagues.test_league_seating_file import as_drawn, checked

pytestmark = pytest.mark.once
CHANGED = [(players, size) for size, rows in ONE_SEAT_FEWER.items() for players in rows]
FEW = [(players, size) for players, size in CHANGED if players < 10]


def meetings(sizes: tuple[int, ...]) -> int:
    return sum(seats * (seats - 1) // 2 for seats in sizes)


def balance(players: int, size: int, rounds: int, sized_for: int) -> Balance:
    return balance_of(plan_rounds(range(players), size, rounds, SEED, sized_for=sized_for))


@pytest.mark.parametrize("size", range(2, 7))
def test_sizes_for_more_rounds_never_bring_more_meetings_nor_sizes_farther_away(
    size: int, long: bool
) -> None:
    for players in range(3, 121 if long else 41):
        usual = table_sizes(players, size)
        for rounds in range(1, 21):
            sizes = table_sizes(players, size, rounds)
            assert sum(sizes) == sum(usual)
            assert meetings(sizes) <= meetings(usual)
            assert sizes == usual or set(sizes) <= {size - 1, size}
            assert sizes == usual or players % size


@pytest.mark.parametrize("players", [9, pytest.param(10, marks=pytest.mark.long)])
def test_nobody_meets_at_all_four_tables_in_fours(players: int) -> None:
    assert max(history_of(plan_rounds(range(players), 4, 4, SEED)).meetings.values()) == 4
    assert balance(players, 4, 4, sized_for=4).most_meetings <= 2


@pytest.mark.parametrize(
    ("players", "size"), [pytest.param(*one, marks=[] if one in FEW else pytest.mark.long) for one in CHANGED]
)
def test_smaller_tables_are_never_worse(players: int, size: int) -> None:
    start, everybody = ONE_SEAT_FEWER[size][players]
    for rounds in range(start, everybody + 2):
        new, old = balance(players, size, rounds, rounds), balance(players, size, rounds, 1)
        assert new.met >= old.met
        assert new.repeats < old.repeats
        assert new.most_meetings <= old.most_meetings
        assert new.met == new.pairs or rounds < everybody
        assert new.firsts[1] - new.firsts[0] <= 2  # 1 but for 14, 22 and 23 in fours with many tables


def test_everyone_meets_everyone_in_as_few_rounds_as_either_size_needs() -> None:
    assert [rounds_for_everybody(9, 4), rounds_for_everybody(10, 4), rounds_for_everybody(15, 4)] == [3, 5, 5]
    for players, size in FEW:
        rounds = rounds_for_everybody(players, size)
        for more in range(3):
            met = balance(players, size, rounds + more, rounds + more)
            assert met.met == met.pairs


@pytest.mark.parametrize("name", [pytest.param("balanced", marks=pytest.mark.long), "swiss"])
def test_files_drawn_before_are_drawn_the_same_today(name: str) -> None:
    """Ten in fours, as the release 0.1.0 drew them."""
    file = json.loads((Path(__file__).parent / "seating_of_0_1_0" / f"{name}.json").read_text())
    assert [len(table) for table in file["rounds"][0]["tables"]] == [5, 5]
    assert checked(file) == as_drawn(1, 2, 3, 4)
    file["rounds"][2]["tables"][0].reverse()
    assert checked(file)[0] == 1
