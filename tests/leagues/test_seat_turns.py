"""The turns of a seat and the places at a table: cases by hand, without any game."""

import pytest

from games.leagues.scoring.seat_turns import (
    START,
    HeldSince,
    Moment,
    PlayedBy,
    SeatTurn,
    has_left,
    holders_with_turns,
)
from games.leagues.scoring.table_facts import Holder, places_of

ANNA, BRUNO = 1, 2
HOLDER, BOT, CLOCK = PlayedBy.HOLDER, PlayedBy.BOT, PlayedBy.CLOCK


def turns(*played_by: PlayedBy, game: int = 1, secret: bool = False) -> list[SeatTurn]:
    return [SeatTurn((game, ply), by, secret) for ply, by in enumerate(played_by, start=1)]


def test_each_holder_has_the_turns_from_their_arrival_on() -> None:
    held = [HeldSince(ANNA, START), HeldSince(None, (1, 3)), HeldSince(BRUNO, (2, 0))]
    played = [*turns(HOLDER, CLOCK, BOT, BOT), *turns(HOLDER, HOLDER, HOLDER, game=2)]
    assert holders_with_turns(held, played) == (Holder(ANNA, 1, 1), Holder(None, 2), Holder(BRUNO, 3))


def test_a_bots_turns_in_a_persons_seat_count_for_no_one() -> None:
    assert holders_with_turns([HeldSince(ANNA, START)], turns(BOT, BOT)) == (Holder(ANNA),)


@pytest.mark.parametrize(
    ("played", "returns", "is_left"),
    [
        (turns(HOLDER, CLOCK, CLOCK), (), True),  # the clock played often enough for a bot to take over
        (turns(HOLDER, CLOCK), (), False),
        (turns(HOLDER, BOT), (), True),
        (turns(HOLDER, BOT, HOLDER), (), False),
        (turns(HOLDER, BOT), ((1, 3),), False),  # they came back
        (turns(HOLDER, BOT, BOT), ((1, 3),), True),
        (turns(BOT, secret=True), (), False),
        ([], (), False),
    ],
)
def test_a_holder_has_left_if_others_played_for_them_in_the_end(
    played: list[SeatTurn], returns: tuple[Moment, ...], is_left: bool
) -> None:
    assert has_left(HeldSince(ANNA, START), played, returns, most_misses=2) is is_left


def test_winners_come_first_and_equal_seats_share_a_place() -> None:
    assert places_of([5, 9, 5, 2], {2}) == (3, 2, 1, 4)
    assert places_of([5, 9, 5, 2], {0, 2}) == (1, 3, 1, 4)
    assert places_of([4, 6, 4, 9], {3}) == (3, 2, 3, 1)


def test_without_a_winner_all_share_the_first_place() -> None:
    assert places_of([5, 9, 5], ()) == (1, 1, 1)
