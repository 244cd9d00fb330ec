"""One round after the other: who sits with whom, who is first, who sits out, no matter who comes and goes."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.leagues.seating import (
    BadSeating,
    PairingHistory,
    Seated,
    history_of,
    seat_round,
    table_sizes,
)
from tests.leagues.seating_by_hand import SEED, balance_of, one_by_one, partitions, repeats_weighed

pytestmark = pytest.mark.once

sizes = st.integers(2, 6)


@st.composite
def seasons(draw: st.DrawFn) -> tuple[list[Seated], list[int], int, bytes]:
    """Draw the rounds so far, with players who came and went; the next players, table size and seed."""
    size, seed = draw(sizes), draw(st.binary(max_size=8))
    pool = draw(st.lists(st.integers(-5, 10_000), min_size=size + 2, max_size=18, unique=True))
    companies = st.lists(st.sampled_from(pool), min_size=size, max_size=len(pool), unique=True)
    rounds: list[Seated] = []
    for players in draw(st.lists(companies, max_size=4)):
        rounds.append(seat_round(players, size, history_of(rounds), seed))
    return rounds, draw(companies), size, seed


@given(seasons())
def test_everyone_has_one_seat_or_a_bye(season: tuple[list[Seated], list[int], int, bytes]) -> None:
    before, players, size, seed = season
    seated = seat_round(players, size, history_of(before), seed)
    assert sorted(seated.players) == sorted(players)
    assert sorted(map(len, seated.tables), reverse=True) == list(table_sizes(len(players), size))
    assert len(seated.byes) == (len(players) % 2 if size == 2 else 0)


@given(seasons(), st.randoms(use_true_random=False))
def test_the_same_is_found_in_whatever_order_things_are_given(season, chance) -> None:
    before, players, size, seed = season
    found = seat_round(players, size, history_of(before), seed)
    shuffled, past = chance.sample(players, len(players)), history_of(before)
    meetings = list(past.meetings.items())
    chance.shuffle(meetings)
    turned = PairingHistory(dict(meetings), past.firsts, past.places, past.byes)
    assert seat_round(shuffled, size, turned, seed) == found
    assert seat_round(set(players), size, history_of(list(reversed(before))), seed) == found


@given(seasons())
def test_no_one_sits_out_a_second_time_before_everyone_has_once(season) -> None:
    before, players, size, seed = season
    past = history_of(before)
    seated = seat_round(players, size, past, seed)
    playing = set(players).difference(seated.byes)
    most = max((past.had_byes(player) for player in seated.byes), default=0)
    assert most <= min(past.had_byes(player) for player in playing)


@given(seasons())
def test_the_first_is_who_was_it_least_often_at_their_table(season) -> None:
    before, players, size, seed = season
    past = history_of(before)
    for table in seat_round(players, size, past, seed).tables:
        assert past.was_first(table[0]) == min(past.was_first(player) for player in table)


@pytest.mark.parametrize(("players", "size", "rounds"), [(8, 4, 5), (9, 3, 6), (8, 2, 8), (12, 4, 4)])
def test_no_seating_meets_again_less_than_the_one_found(players: int, size: int, rounds: int) -> None:
    seated: list[Seated] = []
    for _round in range(rounds):
        past = history_of(seated)
        seated.append(seat_round(range(players), size, past, SEED))
        best = min(repeats_weighed(tables, past) for tables in partitions(range(players), size))
        assert repeats_weighed(seated[-1].tables, past) == best


@pytest.mark.parametrize("seed", [b"", b"1", b"another", bytes(32)])
def test_24_in_fours_meet_again_at_most_once_in_five_rounds(seed: bytes) -> None:
    balance = balance_of(one_by_one(range(24), 4, 5, seed))
    assert balance.repeats <= 1
    assert balance.firsts == (1, 2)


@pytest.mark.parametrize("seed", [b"", b"another"])
def test_100_in_fives_meet_no_one_again_in_six_rounds(seed: bytes) -> None:
    balance = balance_of(one_by_one(range(100), 5, 6, seed))
    assert balance.repeats == 0
    assert balance.firsts == (1, 2)


@pytest.mark.parametrize(("players", "size"), [(12, 4), (9, 3), (9, 2)])
@pytest.mark.long
def test_byes_and_firsts_stay_even_over_a_long_season(players: int, size: int) -> None:
    rounds = one_by_one(range(players), size, 2 * players)
    for played in range(1, len(rounds) + 1):
        least, most = balance_of(rounds[:played]).byes
        assert most - least <= 1
    least, most = balance_of(rounds).firsts
    assert most - least <= 2
    least, most = balance_of(rounds).places
    assert most - least <= 4


def test_people_come_and_go() -> None:
    companies = [range(24), range(22), range(1, 23), range(1, 27), range(5, 27)]
    rounds: list[Seated] = []
    for players in companies:
        rounds.append(seat_round(players, 4, history_of(rounds), SEED))
        assert sorted(rounds[-1].players) == list(players)
    assert balance_of(rounds).repeats <= 1
    assert balance_of(rounds).byes == (0, 0)


def test_one_table_goes_on_with_everyone_in_another_seat() -> None:
    rounds = one_by_one([7, 8, 9], 3, 3)
    assert [sorted(seated.tables[0]) for seated in rounds] == [[7, 8, 9]] * 3
    assert balance_of(rounds).places == (1, 1)


def test_a_seed_draws_another_first_round() -> None:
    found = {seat_round(range(12), 4, PairingHistory(), b"%d" % number).tables for number in range(20)}
    assert len(found) == 20
    firsts = Counter(tables[0][0] for tables in found)
    assert len(firsts) > 5


def test_one_seed_draws_new_lots_in_every_round() -> None:
    first, second = one_by_one(range(9), 2, 2)
    past = PairingHistory(byes=dict.fromkeys(range(9), 1))
    assert first.byes == seat_round(range(9), 2, past, SEED).byes
    assert first.byes != second.byes


@pytest.mark.parametrize(
    ("players", "size", "why"),
    [
        ([1, 2], 4, "do not fill a table"),
        ([], 2, "do not fill a table"),
        ([1, 2, 3, 1], 4, "named twice"),
        ([1, 2, 3], 1, "not 1"),
        (range(9), 7, "not 7"),
        (range(9), 0, "not 0"),
    ],
)
def test_what_cannot_be_seated_is_refused(players, size: int, why: str) -> None:
    with pytest.raises(BadSeating, match=why):
        seat_round(players, size, PairingHistory(), SEED)


def test_the_past_is_counted_by_hand() -> None:
    past = history_of([Seated(((1, 2, 3), (4, 5, 6)), (7,)), Seated(((2, 1, 7), (4, 6, 3)), (5,))])
    met = [past.meetings.get(frozenset(pair), 0) for pair in ((1, 2), (4, 6), (1, 7), (1, 4))]
    assert met == [2, 2, 1, 0]
    assert [past.was_first(player) for player in range(1, 8)] == [1, 1, 0, 2, 0, 0, 0]
    assert [past.sat_at(6, place) for place in range(3)] == [0, 1, 1]
    assert [past.had_byes(player) for player in range(1, 8)] == [0, 0, 0, 0, 1, 0, 1]


def test_a_balance_is_counted_by_hand() -> None:
    balance = balance_of([Seated(((1, 2, 3), (4, 5, 6)), (7,)), Seated(((2, 1, 7), (4, 6, 3)), (5,))])
    assert (balance.pairs, balance.met, balance.repeats, balance.most_meetings) == (21, 10, 2, 2)
    assert (balance.firsts, balance.places, balance.byes) == ((0, 2), (0, 2), (0, 1))
    assert balance.opponents == (2, 4)
    assert balance_of([]).pairs == 0
