"""Properties that hold at every ply of every game: what apply takes, where the cards are, what replay
gives."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules import (
    GameEnded,
    IllegalMove,
    InvalidMove,
    Options,
    Reason,
    State,
    apply,
    legal_moves,
    outcome,
    parse_move,
    pending,
    position,
    preview,
    replay,
)
from games.rules.legality import refusal
from games.rules.moves import INTERNED, Move
from tests.rules.random_play import Game, random_game
from tests.rules.stage import all_cards

EVERY_MOVE: tuple[Move, ...] = tuple(INTERNED.values())


def _count(request: pytest.FixtureRequest, usual: int, long: int) -> int:
    return long if request.config.getoption("--long", default=False) else usual


def _states(game: Game) -> tuple[State, ...]:
    told = replay(game.options, game.players, game.first, game.log)
    assert told.error is None
    assert told.state == game.state
    return told.states


@pytest.mark.timeout(1800)
def test_random_games_of_two_to_six_end_and_replay_alike(request: pytest.FixtureRequest) -> None:
    """10,000 with --long. R22 bounds a round, not a game: a table that always passes plays on for good, but
    random play does not."""
    endings: Counter[str] = Counter()
    sizes: Counter[int] = Counter()
    deck = Counter(Options().deck)
    for seed in range(_count(request, 600, 10_000)):
        game = random_game(seed)
        result = outcome(game.state)
        assert result is not None
        endings[result.reason] += 1
        sizes[game.players] += 1
        for ply, state in enumerate(_states(game)):
            assert state.ply == ply
            assert all_cards(state) == deck
        again = replay(game.options, game.players, game.first, game.log)
        assert again.plies[-1].events[-1] == GameEnded(*result)
    assert set(sizes) == {2, 3, 4, 5, 6}
    assert {"adjacent regions", "total regions"} <= set(endings)


@pytest.mark.timeout(1800)
def test_apply_takes_exactly_what_legal_moves_lists(request: pytest.FixtureRequest) -> None:
    """Every move there is, tried by every seat and by the table, in positions of random games."""
    rng = Random(5)
    for seed in range(_count(request, 25, 400)):
        game = random_game(seed + 50_000)
        states = _states(game)
        for state in rng.sample(states, min(len(states), 12)):
            _only_listed_moves_are_taken(state)


def _only_listed_moves_are_taken(state: State) -> None:
    asked = {question.seat for question in pending(state)}
    for seat in (None, *range(state.players), state.players, -1):
        listed = () if seat is None else legal_moves(state, seat)
        assert bool(listed) == (seat in asked)
        for move in EVERY_MOVE:
            if refusal(state, seat, move) is None:
                assert move in listed
                apply(state, seat, move)
            else:
                assert move not in listed
                with pytest.raises(IllegalMove):
                    apply(state, seat, move)


def test_listed_moves_are_sorted_by_code_point_and_each_named_once() -> None:
    for seed in range(30):
        for state in _states(random_game(seed + 60_000)):
            for question in pending(state):
                texts = [str(move) for move in legal_moves(state, question.seat)]
                assert texts == sorted(set(texts))
                assert len(texts) >= 2 or state.phase in ("place", "battle")


def test_only_the_table_shuffles_and_only_the_whole_pile_when_it_owes_one() -> None:
    for seed in range(20):
        for state in _states(random_game(seed + 70_000)):
            pile = state.shuffle_pile
            if pile:
                assert pending(state) == ()
                for wrong in (pile[1:], (*pile, "1"), ("10", *pile[1:])):
                    assert (
                        refusal(state, None, parse_move(" ".join(("shuffle", *wrong)))) == Reason.NOT_THE_PILE
                    )
                assert refusal(state, 0, parse_move(" ".join(("shuffle", *pile)))) == Reason.SHUFFLE_OWED
            elif not state.is_over:
                assert refusal(state, None, parse_move("shuffle 1")) == Reason.NO_SHUFFLE_OWED


def test_steps_count_what_the_whole_table_sees_and_questions_are_asked_at_the_present_step() -> None:
    for seed in range(40):
        states = _states(random_game(seed + 80_000))
        for before, after in pairwise(states):
            still_open = before.phase == "hand" and after.phase == "hand" and after.before is before.before
            assert after.step == before.step + (0 if still_open else 1)
            assert all(question.asked_at == after.step for question in pending(after))


def test_a_preview_of_a_battle_move_is_what_then_happens() -> None:
    for seed in range(20):
        for state in _states(random_game(seed + 90_000)):
            if state.phase == "battle":
                seat = pending(state)[0].seat
                for move in legal_moves(state, seat):
                    assert preview(state, seat, move) == apply(state, seat, move)[1]


def test_nothing_changes_a_state_that_was_handed_out() -> None:
    game = random_game(3)
    states = _states(game)
    before = [position(state) for state in states]
    for state in states:
        for question in pending(state):
            for move in legal_moves(state, question.seat):
                apply(state, question.seat, move)
    assert [position(state) for state in states] == before


def test_the_over_game_takes_no_move() -> None:
    game = random_game(1)
    assert pending(game.state) == ()
    for move in EVERY_MOVE:
        assert refusal(game.state, 0, move) == Reason.GAME_OVER
    told = replay(game.options, game.players, game.first, [*game.log, (0, "pass")])
    assert told.error == (len(game.log), Reason.GAME_OVER.value)
    assert told.state == game.state


def test_a_replay_stops_at_the_first_bad_entry_and_keeps_what_came_before() -> None:
    game = random_game(2)
    told = replay(game.options, game.players, game.first, [*game.log[:9], (0, "play fish"), *game.log[9:]])
    assert told.error == (9, "unknown card 'fish'")
    assert told.state == told.states[9] == _states(game)[9]
    assert len(told.plies) == 9


def test_each_move_has_one_exact_text() -> None:
    assert len({str(move) for move in EVERY_MOVE}) == len(EVERY_MOVE)
    for move in EVERY_MOVE:
        assert parse_move(str(move)) is move
        assert eval(repr(move), {"Move": Move}) == move
        for loose in (str(move).upper(), f" {move}", f"{move} ", str(move).replace(" ", "  ")):
            if loose != str(move):
                with pytest.raises(InvalidMove):
                    parse_move(loose)


def test_a_moves_words_are_those_of_its_text() -> None:
    for move in EVERY_MOVE:
        words = [move.kind, move.card, move.region, move.taken, *move.cards]
        built = " ".join(word for word in words if word is not None)
        built += "" if move.from_seat is None else f" from {move.from_seat}"
        built += " reveal" if move.reveals else ""
        assert str(move) in (built, f"{built} off", f"{built} nothing")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "''"),
        ("play", "'play'"),
        ("play fish", "'fish'"),
        ("play 7", "'7'"),
        ("play bishop atlantis", "'atlantis'"),
        ("play scarecrow", "needs a Mercenary, perhaps `from` a seat, or `nothing`, not ''"),
        ("play scarecrow drummer", "'drummer'"),
        ("play scarecrow 5 from 6", "'5 from 6'"),
        ("play 5 roma", "'play 5 roma'"),
        ("place", "'place'"),
        ("place atlantis", "'atlantis'"),
        ("keep", "'keep'"),
        ("keep fish", "'fish'"),
        ("keep 5 fish", "'fish'"),
        ("keep 10 5", "'keep 10 5'"),
        ("keep 1 1 1", "'keep 1 1 1'"),
        ("shuffle 1 fish", "'fish'"),
        ("shuffle  1", "''"),
        ("pass  reveal", "'pass  reveal'"),
        ("p\u0430ss", "'p\\u0430ss'"),
        ("x" * 9999, "..."),
    ],
)
def test_an_unreadable_move_is_refused_by_name(text: str, named: str) -> None:
    with pytest.raises(InvalidMove) as refused:
        parse_move(text)
    assert named in str(refused.value)
    assert str(refused.value).isascii()
    assert len(str(refused.value)) < 120


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_move_or_refused(text: str) -> None:
    try:
        move = parse_move(text)
    except InvalidMove:
        return
    assert str(move) == text


@given(st.integers(0, 2**32), st.integers(2, 6))
@settings(max_examples=20, deadline=None)
def test_any_seed_ends_with_a_winner_who_reached_his_goal(seed: int, players: int) -> None:
    game = random_game(seed, players=players)
    result = outcome(game.state)
    assert result is not None
    assert result.winners == tuple(sorted(set(result.winners)))
    assert position(game.state)["result"] == {"winners": list(result.winners), "reason": result.reason}
    assert position(game.state)["legal"] == {}
