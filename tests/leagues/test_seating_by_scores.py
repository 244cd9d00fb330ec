"""Rounds that gather equal scores: as near to the order of the standing as repeats allow."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.leagues.seating import PairingHistory, Seated, history_of, seat_round
from tests.leagues.seating_by_hand import SEED, gaps_weighed, partitions, repeats_weighed

pytestmark = pytest.mark.once

points = st.integers(0, 12).map(lambda number: Fraction(number, 3))


def in_order(scores: dict[int, Fraction], size: int) -> list[list[int]]:
    """The trivial tables: the best together, then the next."""
    players = sorted(scores, key=lambda player: scores[player], reverse=True)
    return [players[start : start + size] for start in range(0, len(players), size)]


def falling(players: Sequence[int]) -> dict[int, Fraction]:
    """Each has a point less than the one before."""
    return {player: Fraction(len(players) - at) for at, player in enumerate(players)}


def sets_of(seated: Seated) -> list[list[int]]:
    return sorted(sorted(table) for table in seated.tables)


@given(st.integers(2, 6), st.lists(points, min_size=6, max_size=24), st.binary(max_size=4))
@pytest.mark.long
def test_someone_who_has_met_no_one_sits_with_their_equals(
    size: int, drawn: list[Fraction], seed: bytes
) -> None:
    scores = dict(enumerate(drawn[: len(drawn) - len(drawn) % size]))
    seated = seat_round(list(scores), size, PairingHistory(), seed, scores=scores)
    assert gaps_weighed(seated.tables, scores) == gaps_weighed(in_order(scores, size), scores)


def test_the_best_four_sit_together_and_then_the_next_four() -> None:
    seated = seat_round(range(12), 4, PairingHistory(), SEED, scores=falling(range(12)))
    assert sets_of(seated) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_neighbours_change_tables_to_spare_a_repeat() -> None:
    """In twos, 1 and 2 have met, 3 and 4 have, 5 and 6 have not."""
    past = history_of([Seated(((1, 2), (3, 4)), (5, 6))])
    seated = seat_round(range(1, 7), 2, past, SEED, scores=falling(range(1, 7)))
    assert sets_of(seated) in ([[1, 3], [2, 4], [5, 6]], [[1, 4], [2, 3], [5, 6]])
    assert sets_of(seated) == [[1, 3], [2, 4], [5, 6]]


def test_a_repeat_is_better_than_the_whole_standing_upside_down() -> None:
    """In twos a repeat weighs as much as two who stand six places apart: 1 has met 2 to 7 and not 8."""
    met = {frozenset((1, other)): 1 for other in range(2, 8)}
    seated = seat_round(range(1, 9), 2, PairingHistory(met), SEED, scores=falling(range(1, 9)))
    assert [1, 2] in sets_of(seated)


@given(
    st.sampled_from([(8, 4), (9, 3), (8, 2), (10, 5)]), st.lists(points, min_size=10, max_size=10), st.data()
)
@pytest.mark.long
def test_no_tables_cost_less_than_those_found(shape: tuple[int, int], drawn: list[Fraction], data) -> None:
    """A repeat weighs as much as two who stand three tables' breadths apart."""
    players, size = shape
    scores = dict(enumerate(drawn[:players]))
    pairs = list(map(frozenset, combinations(range(players), 2)))
    met = st.dictionaries(st.sampled_from(pairs), st.integers(1, 3), max_size=15)
    past = PairingHistory(data.draw(met))

    def cost(tables: Sequence[Sequence[int]]) -> Fraction:
        return gaps_weighed(tables, scores) + (3 * size) ** 2 * repeats_weighed(tables, past)

    seated = seat_round(list(scores), size, past, SEED, scores=scores)
    assert cost(seated.tables) == min(map(cost, partitions(range(players), size)))


def test_the_bye_is_the_lowests_who_had_none() -> None:
    scores = falling(range(9))
    assert seat_round(range(9), 2, PairingHistory(), SEED, scores=scores).byes == (8,)
    assert seat_round(range(9), 2, PairingHistory(byes={8: 1}), SEED, scores=scores).byes == (7,)
    everybody = dict.fromkeys(range(9), 1)
    assert seat_round(range(9), 2, PairingHistory(byes=everybody), SEED, scores=scores).byes == (8,)


def test_scores_choose_which_tables_are_larger_only_among_equals() -> None:
    """Nine in fours are seated as five and four next to each other in the order of scores."""
    seated = seat_round(range(9), 4, PairingHistory(), SEED, scores=falling(range(9)))
    assert sets_of(seated) in ([[0, 1, 2, 3], [4, 5, 6, 7, 8]], [[0, 1, 2, 3, 4], [5, 6, 7, 8]])


def test_someone_who_comes_later_begins_without_points() -> None:
    scores = {player: Fraction(10 - player) for player in range(8)}
    seated = seat_round(range(12), 4, PairingHistory(), SEED, scores=scores)
    assert [8, 9, 10, 11] in sets_of(seated)


def test_a_season_of_equals_is_seated_as_if_scores_did_not_count() -> None:
    rounds: list[Seated] = []
    for _round in range(4):
        scores = dict.fromkeys(range(24), Fraction(1))
        rounds.append(seat_round(range(24), 4, history_of(rounds), SEED, scores=scores))
    assert max(history_of(rounds).meetings.values()) == 1


def test_someone_who_stands_together_meets_round_after_round_but_seldom_the_same() -> None:
    """The lower number always wins at its table of four."""
    rounds: list[Seated] = []
    scores = dict.fromkeys(range(24), Fraction(0))
    for number in range(5):
        rounds.append(seat_round(range(24), 4, history_of(rounds), SEED, scores=scores))
        if number:
            assert gaps_weighed(rounds[-1].tables, scores) < gaps_weighed(rounds[0].tables, scores) / 2
        for table in rounds[-1].tables:
            for place, player in enumerate(sorted(table)):
                scores[player] += 3 - place
    assert max(history_of(rounds).meetings.values()) <= 2
