"""Ratings from games: what counts for whom, and that they come out the same however they are computed."""

from dataclasses import replace
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.leagues.ratings import (
    SETTLED_AFTER,
    BadGame,
    Part,
    Rated,
    RatedGame,
    RatedSeat,
    Rating,
    rate,
)

pytestmark = pytest.mark.once

ANNA, BRUNO, CARLA, DARIO = range(1, 5)
EDITION = "2007"


def game(*seats: RatedSeat, key: int = 1, edition: str = EDITION, at: float = 0.0) -> RatedGame:
    return RatedGame(key, edition, at, seats)


def places(**by_place: int) -> list[RatedSeat]:
    """Everybody stayed: anna=1, bruno=2, and so on."""
    people = {"anna": ANNA, "bruno": BRUNO, "carla": CARLA, "dario": DARIO}
    return [RatedSeat(people[name], place) for name, place in by_place.items()]


def left(player: int, place: int) -> RatedSeat:
    return RatedSeat(player, place, stayed=False)


def helped(player: int, place: int) -> RatedSeat:
    return RatedSeat(player, place, helped=True)


def ratings(*games: RatedGame, edition: str = EDITION) -> dict[int, Rating]:
    return {player: one for (player, of), one in rate(games).ratings.items() if of == edition}


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


def test_a_bot_in_a_seat_counts_for_nobody() -> None:
    alone = game(*places(anna=1, bruno=2))
    beaten = game(RatedSeat(None, 1), *places(anna=2, bruno=3), RatedSeat(None, 4))

    assert ratings(beaten) == ratings(alone)


def test_who_stayed_is_rated_as_if_only_who_stayed_had_played() -> None:
    among = ratings(game(*places(anna=1, bruno=2)))
    after = ratings(game(*places(anna=2, bruno=3), left(CARLA, 1), helped(DARIO, 1)))

    assert (after[ANNA], after[BRUNO]) == (among[ANNA], among[BRUNO])


@pytest.mark.parametrize("place", [1, 2, 3])
def test_who_left_has_come_last_wherever_his_seat_stood(place: int) -> None:
    after = ratings(game(*places(anna=1, bruno=2), left(CARLA, place)))
    last = ratings(game(*places(anna=1, bruno=2, carla=3)))

    assert after[CARLA] == Rating(last[CARLA].mu, Rating().sigma, 1)
    assert after[CARLA].mu < Rating().mu


def test_two_who_left_gain_nothing_from_each_other() -> None:
    one = ratings(game(*places(anna=1, bruno=2), left(CARLA, 3)))
    both = ratings(game(*places(anna=1, bruno=2), left(CARLA, 3), left(DARIO, 4)))

    assert both[CARLA] == both[DARIO] == one[CARLA]


def test_a_helper_gains_by_what_he_won_and_loses_nothing_else() -> None:
    won = rate([game(*places(anna=2, bruno=3), left(CARLA, 1), helped(DARIO, 1))])
    lost = rate([game(*places(anna=1, bruno=2), left(CARLA, 3), helped(DARIO, 3))])

    assert won.ratings[DARIO, EDITION] == ratings(game(*places(dario=1, anna=2, bruno=3)))[DARIO]
    assert [change.part for change in won.trail] == [Part.PLAYED, Part.PLAYED, Part.LEFT, Part.HELPED]
    assert (DARIO, EDITION) not in lost.ratings
    assert [change.player for change in lost.trail] == [ANNA, BRUNO, CARLA]


def test_a_helper_who_left_as_well_loses_nothing() -> None:
    gone = RatedSeat(DARIO, 1, stayed=False, helped=True)

    assert DARIO not in ratings(game(*places(anna=2, bruno=3), left(CARLA, 1), gone))


@pytest.mark.parametrize(
    "seats",
    [
        (),
        (RatedSeat(ANNA, 1),),
        (RatedSeat(ANNA, 1), left(BRUNO, 2), left(CARLA, 3)),
        (RatedSeat(ANNA, 1), left(BRUNO, 2), helped(CARLA, 2), RatedSeat(None, 3)),
        (RatedSeat(None, 1), RatedSeat(None, 2)),
    ],
)
def test_where_fewer_than_two_stayed_nothing_is_rated(seats: tuple[RatedSeat, ...]) -> None:
    assert rate([game(*seats)]) == Rated()


def test_each_edition_is_rated_by_itself() -> None:
    old, new = (
        game(*places(anna=1, bruno=2), edition="1995"),
        game(*places(anna=2, bruno=1), key=2, edition="2007"),
    )
    rated = rate([old, new]).ratings

    assert rated[ANNA, "1995"] == rated[BRUNO, "2007"]
    assert rated[BRUNO, "1995"] == rated[ANNA, "2007"]


def test_the_trail_leads_from_each_rating_to_the_next() -> None:
    first = game(*places(anna=1, bruno=2), key=1, at=1)
    second = game(*places(bruno=1, anna=2), key=2, at=2)
    rated = rate([second, first])

    assert [(one.game, one.player) for one in rated.trail] == [(1, ANNA), (1, BRUNO), (2, BRUNO), (2, ANNA)]
    assert rated.trail[0].before == Rating()
    assert rated.trail[3].before == rated.trail[0].after
    assert rated.trail[3].after == rated.ratings[ANNA, EDITION]


def test_a_rating_is_provisional_until_some_games_are_played() -> None:
    games = [game(*places(anna=1, bruno=2), key=key, at=key) for key in range(SETTLED_AFTER)]

    assert ratings(*games[:-1])[ANNA].is_provisional
    assert not ratings(*games)[ANNA].is_provisional


def test_who_is_new_stands_at_nothing_and_rises_by_winning() -> None:
    assert Rating().ordinal == pytest.approx(0)
    assert ratings(game(*places(anna=1, bruno=2)))[ANNA].ordinal > 0


def test_nobody_is_named_twice_in_a_game() -> None:
    with pytest.raises(BadGame):
        game(RatedSeat(ANNA, 1), left(ANNA, 2))
    game(RatedSeat(None, 1), RatedSeat(None, 2))


@st.composite
def histories(draw: st.DrawFn) -> list[RatedGame]:
    """Games among six people, in the order in which they ended, of two editions."""
    seat = st.tuples(st.integers(1, 4), st.sampled_from([(True, False)] * 4 + [(False, False), (True, True)]))
    games = []
    for key in range(draw(st.integers(1, 8))):
        parts = draw(st.lists(seat, min_size=2, max_size=6))
        first = draw(st.integers(0, 5))
        seats = [
            RatedSeat((first + at) % 6 + 1 if first + at else None, place, *part)
            for at, (place, part) in enumerate(parts)
        ]
        games.append(RatedGame(key, draw(st.sampled_from(["1995", "2007"])), key // 2, tuple(seats)))
    return games


@given(histories(), st.data())
def test_rating_game_by_game_is_rating_all_at_once(history: list[RatedGame], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(history)))
    whole, first = rate(history), rate(history[:cut])
    rest = rate(history[cut:], first.ratings)
    step = Rated()
    for one in history:
        then = rate([one], step.ratings)
        step = Rated(then.ratings, step.trail + then.trail)

    assert step == whole
    assert Rated(rest.ratings, first.trail + rest.trail) == whole


@given(histories(), st.randoms(use_true_random=False))
def test_neither_the_order_of_games_nor_of_seats_changes_a_rating(
    history: list[RatedGame], random: Random
) -> None:
    mixed = [replace(one, seats=tuple(random.sample(one.seats, len(one.seats)))) for one in history]
    random.shuffle(mixed)

    assert rate(mixed).ratings == rate(history).ratings


@given(histories())
def test_nobody_loses_by_helping_and_nobody_gains_by_leaving(history: list[RatedGame]) -> None:
    for change in rate(history).trail:
        before, after = change.before, change.after
        if change.part == Part.HELPED:
            assert after.mu > before.mu
            assert after.ordinal > before.ordinal
        if change.part == Part.LEFT:
            assert after.mu < before.mu
            assert after.ordinal < before.ordinal
        assert after.games == before.games + 1
