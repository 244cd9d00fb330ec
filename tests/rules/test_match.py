"""R27 to R30: the games of a match, and its final battle."""

import pytest

from games.rules import Options, UnknownOption, apply, new_final_battle, observe, parse_move, pending
from games.rules.match import FinalBattle, MatchWon, NextGame, after_game
from games.rules.outcome import points_scored, regions_scored
from tests.rules.stage import played

FOR_POINTS = Options(variants=("playing-for-points",))


def test_r28_a_match_goes_on_until_someone_reaches_the_target() -> None:
    assert after_game(20, 3, [19, 19, 4], 0, [1, 2, 3]) == NextGame(1)
    assert after_game(20, 3, [20, 19, 4], 0, [1, 2, 3]) == MatchWon((0,))
    assert after_game(20, 3, [21, 25, 22], 0, [1, 2, 3]) == MatchWon((1,))


def test_r28_a_match_ends_with_its_hundredth_game_at_the_latest() -> None:
    assert after_game(200, 99, [5, 3], 0, [0, 0]) == NextGame(1)
    assert after_game(200, 100, [5, 3], 0, [0, 0]) == MatchWon((0,))
    assert after_game(200, 100, [0, 0], 0, [2, 0]) == FinalBattle((0, 1), (2, 0), 1)


def test_r29_the_seat_to_the_left_of_the_last_starter_starts() -> None:
    assert [after_game(20, 1, [0, 0, 0], first, [0, 0, 0]) for first in range(3)] == [
        NextGame(1), NextGame(2), NextGame(0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("first", "starter"),
    [(0, 1), (1, 3), (2, 3), (3, 1), (4, 1)],  # the seat of R29 itself, or the next tied one to its left
)
def test_r28_the_tied_fight_it_out_and_the_seat_of_r29_starts(first: int, starter: int) -> None:
    following = after_game(20, 4, [3, 22, 0, 22, 21], first, [1, 4, 0, 2, 3])
    assert following == FinalBattle((1, 3), (4, 2), (1, 3).index(starter))


def test_r28_its_hands_are_10_and_1_per_region_of_the_last_game_from_its_starter_clockwise() -> None:
    state = new_final_battle(FOR_POINTS, (4, 0, 2), 1)
    pile = state.shuffle_pile
    assert len(pile) == 110
    dealt, _ = apply(state, None, parse_move(" ".join(("shuffle", *pile))))
    assert [len(hand) for hand in dealt.hands] == [14, 10, 12]
    assert observe(dealt, 1).hand == pile[:10]
    assert observe(dealt, 2).hand == tuple(pile[10:20] + pile[30:32])
    assert observe(dealt, 0).hand == tuple(pile[20:30] + pile[32:36])
    assert [(decision.seat, decision.kind) for decision in pending(dealt)] == [(1, "battle")]
    assert observe(dealt, None).final_battle == (0, 1, 2)


def test_r28_the_strongest_wins_it_or_shares_it_and_it_scores_nothing() -> None:
    dealt, _ = played(new_final_battle(FOR_POINTS, (0, 0), 0), "shuffle")
    alone, _ = played(dealt, "play 1", "pass", "pass")
    assert observe(alone, None).outcome == ((0,), "final battle", None)
    shared, _ = played(dealt, "pass", "pass")
    assert observe(shared, None).outcome == ((0, 1), "final battle", None)


def test_r28_it_deals_10_also_where_a_first_hand_has_7_and_a_battle_may_be_surrendered() -> None:
    options = Options(variants=("draw-after-battle", "hidden-cards", "playing-for-points"))
    dealt, _ = played(new_final_battle(options, (1, 0), 0), "shuffle")
    assert [len(hand) for hand in dealt.hands] == [11, 10]


def test_r28_who_is_not_tied_only_looks_on() -> None:
    dealt, _ = played(new_final_battle(FOR_POINTS, (4, None, 2), 2), "shuffle")
    assert [len(hand) for hand in dealt.hands] == [14, 0, 12]
    assert observe(dealt, None).passed == (False, True, False)
    assert [decision.seat for decision in pending(dealt)] == [2]
    shared, _ = played(dealt, "pass", "pass")
    assert observe(shared, None).outcome == ((0, 2), "final battle", None)


def test_r27_from_points_and_winners_one_sees_the_regions() -> None:
    for winners, reason in (((1,), "adjacent regions"), ((1,), "total regions"), ((0, 2), "most regions")):
        points = points_scored((0b111, 0b11000, 0), winners, reason)
        assert regions_scored(points, winners, reason) == (3, 2, 0)


def test_a_final_battle_of_its_own_belongs_to_a_match() -> None:
    with pytest.raises(UnknownOption, match="playing-for-points"):
        new_final_battle(Options(), (1, 0), 0)
    for regions, first in (((1,), 0), ((0,) * 7, 0), ((1, 0), 2), ((1, None, 0), 1)):
        with pytest.raises(UnknownOption):
            new_final_battle(FOR_POINTS, regions, first)


def test_r30_playing_for_points_may_go_with_capturing_regions() -> None:
    assert Options(variants=("playing-for-points", "capturing-regions")).captures_regions


@pytest.mark.parametrize(
    "variant",
    ["bigger-kingdoms", "capturing-regions", "draw-after-battle", "hidden-cards", "playing-for-points"],
)
def test_r48_the_optional_rules_cannot_be_chosen_in_1995(variant: str) -> None:
    with pytest.raises(UnknownOption, match=f"'{variant}' cannot be played in edition '1995'"):
        Options("1995", (variant,))
