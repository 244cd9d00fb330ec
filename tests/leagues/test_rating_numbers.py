"""Ratings from games: what counts for whom, and equal results however they are computed."""

from dataclasses import replace
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.leagues.scoring.ratings import BadGame, ComputedRating, RatedGame, RatedSeat, rate, rated_by

pytestmark = pytest.mark.once

ANNA, BRUNO, CARLA, DARIO = range(1, 5)


def game(*seats: RatedSeat, key: int = 1, at: float = 0.0) -> RatedGame:
    return RatedGame(key, at, seats)


def places(**by_place: int) -> list[RatedSeat]:
    """Everyone stayed: anna=1, bruno=2, and so on."""
    people = {"anna": ANNA, "bruno": BRUNO, "carla": CARLA, "dario": DARIO}
    return [RatedSeat(people[name], place) for name, place in by_place.items()]


def left(player: int, place: int) -> RatedSeat:
    return RatedSeat(player, place, stayed=False)


def helped(player: int, place: int) -> RatedSeat:
    return RatedSeat(player, place, helped=True)


def ratings(*games: RatedGame) -> dict[int, ComputedRating]:
    return rate(games)


def test_a_first_duel_moves_both_as_the_paper_says() -> None:
    """Weng and Lin's algorithm 4 for two of whom nothing is known: each was to win with probability ½."""
    variance = (25 / 3) ** 2 + (25 / 300) ** 2
    c = sqrt(2 * (variance + (25 / 6) ** 2))
    shrunk = sqrt(variance * (1 - variance / c**2 * 0.25 * sqrt(variance) / c))
    after = ratings(game(*places(anna=1, bruno=2)))

    assert after[ANNA].mu == pytest.approx(25 + variance / c / 2)
    assert after[BRUNO].mu == pytest.approx(25 - variance / c / 2)
    assert after[ANNA].sigma == after[BRUNO].sigma == pytest.approx(shrunk)
    assert after[ANNA].games == 1


def test_places_order_the_ratings() -> None:
    after = ratings(game(*places(dario=1, bruno=2, anna=3, carla=4)))

    assert sorted(after, key=lambda player: -after[player].mu) == [DARIO, BRUNO, ANNA, CARLA]


def test_equals_who_tie_stay_equal() -> None:
    after = ratings(game(*places(anna=1, bruno=2, carla=2, dario=4)))

    assert after[BRUNO] == after[CARLA]
    assert after[ANNA].mu > after[BRUNO].mu > after[DARIO].mu
    drawn = ratings(game(*places(anna=1, bruno=1)))
    assert drawn[ANNA].mu == drawn[BRUNO].mu == pytest.approx(25)


def test_gaps_between_places_say_nothing() -> None:
    assert ratings(game(*places(anna=1, bruno=2, carla=3))) == ratings(
        game(*places(anna=1, bruno=4, carla=6))
    )


def test_someone_who_stayed_is_rated_as_if_only_who_stayed_had_played() -> None:
    among = ratings(game(*places(anna=1, bruno=2)))
    after = ratings(game(*places(anna=2, bruno=3), left(CARLA, 1), helped(DARIO, 1)))

    assert (after[ANNA], after[BRUNO]) == (among[ANNA], among[BRUNO])


@pytest.mark.parametrize("place", [1, 2, 3])
def test_someone_who_left_has_come_last_wherever_their_seat_stood(place: int) -> None:
    after = ratings(game(*places(anna=1, bruno=2), left(CARLA, place)))
    last = ratings(game(*places(anna=1, bruno=2, carla=3)))

    assert after[CARLA] == ComputedRating(last[CARLA].mu, ComputedRating().sigma, 1)
    assert after[CARLA].mu < ComputedRating().mu


def test_two_who_left_gain_nothing_from_each_other() -> None:
    one = ratings(game(*places(anna=1, bruno=2), left(CARLA, 3)))
    both = ratings(game(*places(anna=1, bruno=2), left(CARLA, 3), left(DARIO, 4)))

    assert both[CARLA] == both[DARIO] == one[CARLA]


def test_a_helper_gains_by_what_they_won_and_loses_nothing_else() -> None:
    won = ratings(game(*places(anna=2, bruno=3), left(CARLA, 1), helped(DARIO, 1)))
    lost = ratings(game(*places(anna=1, bruno=2), left(CARLA, 3), helped(DARIO, 3)))

    assert won[DARIO] == ratings(game(*places(dario=1, anna=2, bruno=3)))[DARIO]
    assert won.keys() == {ANNA, BRUNO, CARLA, DARIO}
    assert lost.keys() == {ANNA, BRUNO, CARLA}


def test_a_helper_who_left_as_well_loses_nothing() -> None:
    gone = RatedSeat(DARIO, 1, stayed=False, helped=True)

    assert DARIO not in ratings(game(*places(anna=2, bruno=3), left(CARLA, 1), gone))


@pytest.mark.parametrize(
    "seats",
    [
        (),
        (RatedSeat(ANNA, 1),),
        (RatedSeat(ANNA, 1), left(BRUNO, 2), left(CARLA, 3)),
        (RatedSeat(ANNA, 1), left(BRUNO, 2), helped(CARLA, 2)),
    ],
)
def test_where_fewer_than_two_stayed_nothing_is_rated(seats: tuple[RatedSeat, ...]) -> None:
    assert ratings(game(*seats)) == {}


def test_a_game_starts_from_the_ratings_after_the_one_before() -> None:
    first = game(*places(anna=1, bruno=2), key=1, at=1)
    second = game(*places(bruno=1, anna=2), key=2, at=2)

    assert ratings(second, first) == rated_by(second, rated_by(first, {}))
    assert ratings(first, second) == ratings(second, first)


def test_a_rating_begins_at_1500_and_is_provisional_while_its_uncertainty_is_wide() -> None:
    games = [game(*places(anna=1, bruno=2), key=key, at=key) for key in range(6)]
    assert (ComputedRating().shown, ComputedRating().uncertainty, ComputedRating().is_provisional) == (
        1500,
        333,
        True,
    )
    after = ratings(*games)
    assert after[ANNA].shown - 1500 == 1500 - after[BRUNO].shown > 0
    assert not after[ANNA].is_provisional
    assert ratings(*games[:3])[ANNA].is_provisional


def test_no_one_is_named_twice_in_a_game() -> None:
    with pytest.raises(BadGame):
        game(RatedSeat(ANNA, 1), left(ANNA, 2))


@st.composite
def histories(draw: st.DrawFn) -> list[RatedGame]:
    """Games among six people, in the order in which they ended."""
    seat = st.tuples(st.integers(1, 4), st.sampled_from([(True, False)] * 4 + [(False, False), (True, True)]))
    games = []
    for key in range(draw(st.integers(1, 8))):
        parts = draw(st.lists(seat, min_size=2, max_size=6))
        first = draw(st.integers(0, 5))
        seats = [RatedSeat((first + at) % 6 + 1, place, *part) for at, (place, part) in enumerate(parts)]
        games.append(RatedGame(key, key // 2, tuple(seats)))
    return games


@given(histories(), st.randoms(use_true_random=False))
def test_neither_the_order_of_games_nor_of_seats_changes_a_rating(
    history: list[RatedGame], random: Random
) -> None:
    mixed = [replace(one, seats=tuple(random.sample(one.seats, len(one.seats)))) for one in history]
    random.shuffle(mixed)

    assert rate(mixed) == rate(history)


@given(histories())
def test_no_one_loses_by_helping_and_no_one_gains_by_leaving(history: list[RatedGame]) -> None:
    before: dict[int, ComputedRating] = {}
    for one in history:
        after = before | rated_by(one, before)
        for seat in one.seats:
            was, now = before.get(seat.player, ComputedRating()), after.get(seat.player, ComputedRating())
            if seat.helped:
                assert now.ordinal >= was.ordinal
                assert now.mu >= was.mu
            elif not seat.stayed and now != was:
                assert now.ordinal < was.ordinal
                assert now.mu < was.mu
            assert now.games == was.games + (now != was)
        before = after
