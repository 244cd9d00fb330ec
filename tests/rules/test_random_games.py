"""Properties that hold at every ply of every game: what apply takes, where the cards are, what replay
gives."""

from collections import Counter
from dataclasses import fields
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rules import (
    SEATS,
    GameEnded,
    IllegalMove,
    InvalidMove,
    Options,
    Reason,
    State,
    Verification,
    apply,
    legal_moves,
    outcome,
    parse_move,
    pending,
    position,
    preview,
    redact,
    replay,
)
from games.rules.legality import refusal
from games.rules.moves import INTERNED, Move
from games.rules.record import record_json, verify
from games.rules.record_reading import read_record
from games.rules.selfplay import selfplay_game
from tests.rules.invariants import must_hold
from tests.rules.random_play import EVERY_OPTIONS, Game, any_game, random_game

EVERY_MOVE: tuple[Move, ...] = tuple(INTERNED.values())


def _count(request: pytest.FixtureRequest, usual: int, long: int) -> int:
    return long if request.config.getoption("--long", default=False) else usual


def _states(game: Game) -> tuple[State, ...]:
    told = replay(game.options, game.players, game.first, game.log)
    assert told.error is None
    assert told.state == game.state
    return told.states


def test_games_of_every_option_set_end_and_replay_alike(request: pytest.FixtureRequest) -> None:
    """Every option set, and every number of players; with --long 20,000 games, every set with every number.
    No rule bounds a game (R22 bounds a round): timid tables are cut at a stated length, all others end."""
    endings: Counter[tuple[str, str]] = Counter()
    played: set[tuple[Options, int]] = set()
    is_long = request.config.getoption("--long", default=False)
    for number in range(20_000) if is_long else range(4, 330, 5):
        game = any_game(number)
        played.add((game.options, game.players))
        told = replay(game.options, game.players, game.first, game.log)
        assert (told.state, told.error) == (game.state, None)
        for ply, state in enumerate(told.states):
            assert state.ply == ply
            must_hold(state)
        result = outcome(game.state)
        if result is not None:
            endings[game.options.edition, result.reason] += 1
            assert told.plies[-1].events[-1] == GameEnded(*result)
    combinations = {(options, players) for options in EVERY_OPTIONS for players in SEATS}
    assert len(combinations) == 33 * 5
    assert played == combinations or not is_long
    assert [set(column) for column in zip(*played, strict=True)] == [set(EVERY_OPTIONS), set(SEATS)]
    assert endings["1995", "adjacent regions"] > 0
    assert {reason for edition, reason in endings if edition == "2007"} == {
        "adjacent regions", "total regions", "most regions", "final battle",
    }  # fmt: skip


def test_apply_takes_exactly_what_legal_moves_lists(request: pytest.FixtureRequest) -> None:
    """Every seat and the site try every possible move, in positions of random games."""
    rng = Random(5)
    for number in range(_count(request, 33, 1320)):
        game = any_game(number + 50_000)
        states = _states(game)
        for state in rng.sample(states, min(len(states), _count(request, 2, 5))):
            _only_listed_moves_are_taken(state)


def _only_listed_moves_are_taken(state: State) -> None:
    asked = {decision.seat for decision in pending(state)}
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


@pytest.mark.long
def test_listed_moves_are_sorted_by_code_point_and_each_named_once() -> None:
    for number in range(33):
        for state in _states(any_game(number + 60_000)):
            for decision in pending(state):
                texts = [str(move) for move in legal_moves(state, decision.seat)]
                assert texts == sorted(set(texts))
                assert len(texts) >= 2 or state.phase in ("place", "battle")


@pytest.mark.long
def test_only_the_table_shuffles_and_only_the_whole_pile_when_it_owes_one() -> None:
    for number in range(33):
        for state in _states(any_game(number + 70_000)):
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


@pytest.mark.long
def test_steps_count_what_the_whole_table_sees_and_decisions_are_asked_at_the_present_step() -> None:
    for number in range(33):
        states = _states(any_game(number + 80_000))
        for before, after in pairwise(states):
            still_open = before.phase == "hand" and after.phase == "hand" and after.before is before.before
            assert after.step == before.step + (0 if still_open else 1)
            assert all(decision.decision_step == after.step for decision in pending(after))


@pytest.mark.long
def test_a_preview_is_how_that_what_then_happens_begins() -> None:
    """It stops at the first thing that its seat cannot know beforehand; in the base game a battle holds no
    such thing."""
    lengths: Counter[bool] = Counter()
    for number in range(33):
        game = any_game(number + 90_000)
        for state in _states(game)[::4]:
            for decision in pending(state):
                for move in legal_moves(state, decision.seat):
                    shown = preview(state, decision.seat, move)
                    happens = redact(apply(state, decision.seat, move)[1], decision.seat)
                    assert shown == happens[: len(shown)]
                    lengths[shown == happens] += 1
                    if state.phase == "battle" and not game.options.variants and not game.options.is_1995:
                        assert shown == happens
    assert min(lengths[True], lengths[False]) > 500


def test_nothing_changes_a_state_that_was_handed_out() -> None:
    game = random_game(3)
    states = _states(game)
    before = [position(state) for state in states]
    for state in states:
        for decision in pending(state):
            for move in legal_moves(state, decision.seat):
                apply(state, decision.seat, move)
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
def test_any_text_is_a_move_or_refused(text: str) -> None:
    try:
        move = parse_move(text)
    except InvalidMove:
        return
    assert str(move) == text


@given(st.integers(0, 2**32), st.integers(2, 6))
def test_any_seed_ends_with_a_winner_who_reached_their_goal(seed: int, players: int) -> None:
    game = random_game(seed, players=players)
    result = outcome(game.state)
    assert result is not None
    assert result.winners == tuple(sorted(set(result.winners)))
    assert result.points is None
    assert position(game.state)["result"] == {"winners": list(result.winners), "reason": result.reason}
    assert position(game.state)["legal"] == {}


@pytest.mark.parametrize(
    "options", EVERY_OPTIONS, ids=lambda options: "+".join(options.variants) or options.edition
)
def test_records_of_random_games_hold(options: Options) -> None:
    for number in range(2):
        record = selfplay_game(options, None, "hold", number)
        assert verify(record) == Verification(True, True)
        assert read_record(record_json(record)) == record
        assert record.result is not None
        assert ("points" in record.result) == options.plays_for_points


def test_a_new_position_has_the_fields_of_every_position() -> None:
    """`replace` copies a dictionary, which would take any name."""
    names = [field.name for field in fields(State)]
    seen: set[str] = set()
    for number in range(33):
        for state in _states(any_game(number + 95_000)):
            assert list(vars(state)) == names
            seen.add(state.phase)
    assert seen == {"shuffle", "place", "battle", "hand", "keep", "over"}
