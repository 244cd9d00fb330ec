"""Promotion and relegation: cases by hand, and properties of all cases."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.leagues.scoring.promotion import BadMove, next_divisions, next_levels, require_movable

pytestmark = pytest.mark.once

THREE = ((11, 12, 13, 14), (21, 22, 23, 24), (31, 32, 33, 34))
ALL = {player for final in THREE for player in final}
SIZES = (4, 4, 4)


def moved(
    gone: set[int] | None = None,
    waiting: tuple[int, ...] = (),
    sizes: tuple[int, ...] = SIZES,
    *,
    promoted: int = 1,
    relegated: int = 1,
) -> tuple[tuple[int, ...], ...]:
    """The three divisions after a season, without those who have gone."""
    return next_divisions(
        THREE,
        promoted=promoted,
        relegated=relegated,
        staying=ALL - (gone or set()),
        waiting=waiting,
        sizes=sizes,
    )


def test_the_first_and_the_last_change_places() -> None:
    one = moved()

    assert one == ((11, 12, 13, 21), (14, 22, 23, 31), (24, 32, 33, 34))


def test_no_one_moves_where_no_one_is_promoted() -> None:
    one = moved(promoted=0, relegated=0)

    assert one == THREE


def test_a_free_place_goes_to_the_next_of_the_division_below_and_so_on() -> None:
    one = moved(gone={12}, waiting=(41, 42))

    assert one == ((11, 13, 21, 22), (14, 23, 31, 32), (24, 33, 34, 41))


def test_who_was_to_be_promoted_and_has_gone_leaves_their_place_to_the_next() -> None:
    one = moved(gone={21})

    assert one[0] == (11, 12, 13, 22)


def test_who_was_to_be_relegated_and_has_gone_saves_no_one() -> None:
    one = moved(gone={14})

    assert one == ((11, 12, 13, 21), (22, 23, 31, 32), (24, 33, 34))


def test_who_was_relegated_is_called_back_when_no_one_else_is_left_below() -> None:
    one = moved(gone={21, 22, 23, 24, 13})

    assert one == ((11, 12, 14, 31), (32, 33, 34))


def test_an_empty_last_division_vanishes() -> None:
    one = moved(gone={31, 32, 33, 34})

    assert one == ((11, 12, 13, 21), (14, 22, 23, 24))


def test_a_division_less_takes_the_last_together_and_turns_no_one_out() -> None:
    one = moved(sizes=(4, 4), waiting=(41,))

    assert one == ((11, 12, 13, 21), (14, 22, 23, 24, 31, 32, 33, 34))


def test_a_division_more_is_for_newcomers() -> None:
    one = moved(sizes=(4, 4, 4, 4), waiting=(41, 42))

    assert one[2:] == ((24, 32, 33, 34), (41, 42))


def test_a_smaller_division_sends_its_last_down() -> None:
    one = moved(sizes=(2, 4, 6))

    assert one == ((11, 21), (12, 13, 14, 31), (22, 23, 24, 32, 33, 34))


def test_a_larger_division_calls_the_next_up() -> None:
    one = moved(sizes=(6, 4, 2))

    assert one == ((11, 12, 13, 21, 22, 23), (14, 31, 32, 33), (24, 34))


def test_more_may_come_up_than_are_named_to_go_down() -> None:
    one = moved(promoted=2, relegated=1)

    assert one[0] == (11, 12, 21, 22)


def test_the_first_season_is_filled_in_the_order_of_waiting() -> None:
    one = next_divisions((), promoted=1, relegated=1, staying=(), waiting=(5, 3, 9, 1), sizes=(2, 1))

    assert one == ((5, 3), (9,))


def test_no_one_at_all_makes_no_division() -> None:
    one = next_divisions((), promoted=0, relegated=0, staying=(), waiting=(), sizes=(4,))

    assert one == ()


def test_someone_who_left_and_waits_again_is_new() -> None:
    one = moved(gone={12}, waiting=(12,))

    assert one[-1] == (24, 33, 34, 12)


def test_someone_who_stays_and_waits_has_one_place() -> None:
    one = moved(gone={12}, waiting=(11, 41))

    assert one[0][0] == 11
    assert one[-1] == (24, 33, 34, 41)


@pytest.mark.parametrize(
    ("sizes", "promoted", "relegated"),
    [((4, 4), 5, 0), ((4, 4), 0, 5), ((8, 4, 8), 2, 3), ((4,), -1, 0), ((4, 4), 0, -1)],
)
def test_no_more_move_than_there_are(sizes: tuple[int, ...], promoted: int, relegated: int) -> None:
    with pytest.raises(BadMove):
        require_movable(sizes, promoted, relegated)


@pytest.mark.parametrize(("sizes", "promoted", "relegated"), [((4,), 9, 9), ((4, 4, 4), 2, 2), ((), 1, 1)])
def test_as_many_move_as_there_are(sizes: tuple[int, ...], promoted: int, relegated: int) -> None:
    require_movable(sizes, promoted, relegated)


def test_plans_that_make_no_sense_are_refused() -> None:
    def refused(**changes: object) -> None:
        plan = {"promoted": 1, "relegated": 1, "staying": ALL, "waiting": (), "sizes": SIZES, "finals": THREE}
        with pytest.raises(BadMove):
            next_divisions(**{**plan, **changes})

    refused(promoted=3, relegated=2)
    refused(finals=((1, 2), (2, 3)), staying=())
    refused(waiting=(41, 41))
    refused(staying={99})
    refused(sizes=())
    refused(sizes=(4, 0))


@st.composite
def plans(draw: st.DrawFn) -> dict:
    """Any divisions, moves that they allow, people who stay and who wait, and any sizes for the next."""
    lengths = draw(st.lists(st.integers(2, 6), max_size=4))
    numbers = iter(range(1, 100))
    finals = [[next(numbers) for _ in range(length)] for length in lengths]
    everybody = [player for final in finals for player in final]
    promoted = draw(st.integers(0, min([2, *lengths]) // 2))
    relegated = draw(st.integers(0, min([2, *lengths]) - promoted))
    return {
        "finals": finals,
        "promoted": promoted,
        "relegated": relegated,
        "staying": draw(st.sets(st.sampled_from(everybody))) if everybody else set(),
        "waiting": draw(st.permutations(range(101, 101 + draw(st.integers(0, 8))))),
        "sizes": draw(st.lists(st.integers(1, 6), min_size=1, max_size=5)),
    }


@given(plans())
def test_no_one_is_lost_and_no_one_doubled(plan: dict) -> None:
    one = next_divisions(**plan)

    placed = [player for division in one for player in division]
    assert len(placed) == len(set(placed))
    assert set(placed) >= plan["staying"]
    assert set(placed) <= plan["staying"] | set(plan["waiting"])


@given(plans())
def test_sizes_hold_from_above(plan: dict) -> None:
    one, sizes = next_divisions(**plan), plan["sizes"]

    assert all(one)
    for division, size in list(zip(one, sizes, strict=False))[:-1]:
        assert len(division) <= size
    full = zip(one[:-1], sizes, strict=False)
    assert all(len(division) == size for division, size in full)
    assert sum(map(len, one)) <= max(sum(sizes), len(plan["staying"]))


@given(plans())
def test_seeds_and_the_queue_keep_their_order(plan: dict) -> None:
    one, waiting = next_divisions(**plan), plan["waiting"]
    seeds = [player for final in plan["finals"] for player in final]

    for division in one:
        old = [seeds.index(player) for player in division if player in seeds]
        assert old == sorted(old)
        assert [player for player in division if player in seeds] == list(division[: len(old)])
    new = [player for division in one for player in division if player in waiting]
    assert new == waiting[: len(new)]


@given(plans())
def test_no_one_falls_below_who_finished_after_them_but_by_promotion(plan: dict) -> None:
    one = next_divisions(**plan)
    now = {player: at for at, division in enumerate(one) for player in division}

    for final in plan["finals"]:
        staying = [player for player in final if player in plan["staying"]]
        assert all(now[better] <= now[worse] for better, worse in pairwise(staying))


# Players whom holidays kept from every table


@given(st.lists(st.integers(1, 8), min_size=1, max_size=4), st.integers(0, 3), st.data())
def test_no_one_who_is_spared_is_relegated_and_no_place_is_lost(
    lengths: list[int], promoted: int, data: st.DataObject
) -> None:
    numbers = iter(range(1, 100))
    finals = [[next(numbers) for _ in range(length)] for length in lengths]
    everybody = [player for final in finals for player in final]
    staying = set(everybody) - data.draw(st.sets(st.sampled_from(everybody)))
    spared = data.draw(st.sets(st.sampled_from(everybody))) & staying

    levels = next_levels(finals, promoted=promoted, staying=staying, spared=spared)

    assert levels.keys() == staying
    before = {player: level for level, final in enumerate(finals, start=1) for player in final}
    assert all(levels[player] <= before[player] for player in spared)
    for level, length in enumerate(lengths, start=1):
        assert list(levels.values()).count(level) <= length


def test_the_last_of_those_who_played_go_down_in_place_of_the_spared() -> None:
    levels = next_levels([[1, 2, 3, 4], [5, 6, 7]], promoted=1, staying=range(1, 8), spared={4})

    assert levels == {1: 1, 2: 1, 4: 1, 5: 1, 3: 2, 6: 2, 7: 2}
