"""Bots answer every decision with a legal move, the same one again, from what their seat sees and no more."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from games.bots import STRENGTHS, choose
from games.bots.duel import duel
from games.rules import (
    CARDS,
    SPEC_OF,
    VARIANTS,
    Observation,
    Options,
    State,
    apply,
    legal_moves,
    new_final_battle,
    new_game,
    observe,
    parse_move,
    pending,
    replay,
)
from tests.rules.random_play import random_game
from tests.rules.stage import staged
from tests.simulation.games.resampling import resampled

SUBSETS = [Options("2007", some) for count in range(6) for some in combinations(VARIANTS, count)]
EDITION_1995 = Options("1995")
EVERY_OPTION_SET = [*SUBSETS, EDITION_1995]
OPTIONS_APART = [*SUBSETS[:6], SUBSETS[-1], EDITION_1995]
pytestmark = [pytest.mark.once]


@pytest.mark.long
def test_every_answer_is_legal_wherever_random_play_leads() -> None:
    asked: Counter[tuple[int, str]] = Counter()
    for seed in range(300):
        game = random_game(seed)
        for state in replay(game.options, game.players, game.first, game.log).states[::3]:
            for decision in pending(state):
                for strength in STRENGTHS:
                    seen = observe(state, decision.seat)
                    move = choose(strength, seen)
                    assert move in legal_moves(state, decision.seat)
                    assert choose(strength, seen) == move
                    asked[game.players, decision.kind] += 1
    assert sum(asked.values()) > 700
    assert {players for players, _ in asked} == {2, 3, 4, 5, 6}
    assert {kind for _, kind in asked} == {"place", "battle", "hand", "keep"}


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.long
def test_every_answer_is_legal_with_every_set_of_options(players: int) -> None:
    asked: Counter[Options] = Counter()
    for number, options in enumerate(EVERY_OPTION_SET):
        for seed in range(5):
            for seen in _sampled_decisions(options, players, 100 * number + seed, 60):
                for strength in STRENGTHS:
                    assert choose(strength, seen) in seen.legal
                    asked[options] += 1
    assert min(asked.values()) >= 20
    assert len(asked) == 33


def _sampled_decisions(options: Options, players: int, seed: int, count: int) -> list[Observation]:
    """Yield what seats see when they must move, in some positions of a random game."""
    game = random_game(seed, options, players)
    states = replay(options, players, game.first, game.log).states
    asking = [state for state in states if pending(state)]
    chosen = Random(seed).sample(asking, min(count, len(asking)))
    return [observe(state, decision.seat) for state in chosen for decision in pending(state)]


@pytest.mark.long
def test_what_a_seat_cannot_know_changes_no_answer() -> None:
    compared = differing = 0
    for seed in range(200):
        rng, game = Random(seed), random_game(seed)
        states = replay(game.options, game.players, game.first, game.log).states
        asking = [ply for ply, state in enumerate(states) if pending(state) and ply > 1]
        for cut in rng.sample(asking, min(4, len(asking))):
            seat = rng.choice(pending(states[cut])).seat
            log = resampled(game.options, game.players, game.first, game.log[:cut], seat, rng)
            other = replay(game.options, game.players, game.first, log).state
            differing += other.hands != states[cut].hands
            compared += 1
            for strength in STRENGTHS:
                assert choose(strength, observe(states[cut], seat)) == choose(strength, observe(other, seat))
    assert differing > 0.7 * compared > 50


@pytest.mark.parametrize("strength", STRENGTHS)
def test_what_lies_face_down_changes_no_answer_of_others(strength: str) -> None:
    """Exchange the face-down card for one in its owner's hand (R40)."""
    compared = 0
    for seed in range(3):
        game = random_game(seed, Options("2007", ("capturing-regions", "hidden-cards")))
        for state in replay(game.options, game.players, game.first, game.log).states:
            for owner in range(game.players):
                other = _with_another_card_down(state, owner)
                if other is not None and pending(state) and pending(state)[0].seat != owner:
                    seat = pending(state)[0].seat
                    assert choose(strength, observe(state, seat)) == choose(strength, observe(other, seat))
                    compared += 1
    assert compared > 100


def _with_another_card_down(state: State, owner: int) -> State | None:
    down, hand = state.face_down[owner], state.hands[owner]
    if not down or not hand or hand[0] == down[0] or not SPEC_OF[CARDS[hand[0]]].goes_face_down:
        return None
    hands, lying = list(state.hands), list(state.face_down)
    hands[owner], lying[owner] = tuple(sorted((*hand[1:], *down))), hand[:1]
    return state.replace(hands=tuple(hands), face_down=tuple(lying))


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.long
def test_games_between_bots_end(strength: str, players: int) -> None:
    played = duel([strength] * players, 50, "ends")
    assert played.scores[strength].games == played.scores[strength].won
    assert played.longest < 4000


@pytest.mark.parametrize("options", OPTIONS_APART[1:], ids=str)
@pytest.mark.long
def test_games_between_captains_end_with_every_option(options: Options) -> None:
    for players in (2, 4, 6):
        played = duel(["captain"] * players, 10, "ends", options)
        assert played.longest < 20_000


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("players", range(2, 7))
def test_the_final_battle_of_a_match_is_fought(players: int, strength: str) -> None:
    state = new_final_battle(Options("2007", VARIANTS), range(players), 1)
    state, _ = apply(state, None, parse_move(" ".join(("shuffle", *state.shuffle_pile))))
    while not state.is_over:
        seat = pending(state)[0].seat
        state, _ = apply(state, seat, choose(strength, observe(state, seat)))
    assert max(state.totals) > 0


@pytest.mark.parametrize("strength", STRENGTHS)
def test_the_chooser_fights_so_that_no_one_passes_for_ever(strength: str) -> None:
    state = staged("1 | 10 10 10 10 10 10 10 10 6 6", control="napoli=1 spoleto=1 ancona=1")
    assert str(choose(strength, observe(state, 0))) == "play 1"


@pytest.mark.parametrize("strength", STRENGTHS)
def test_someone_who_is_not_asked_is_answered_nothing(strength: str) -> None:
    for seen in (_seen(1), _seen(None)):
        with pytest.raises(ValueError, match="when its seat is asked"):
            choose(strength, seen)


def test_an_unknown_strength_is_named() -> None:
    with pytest.raises(ValueError, match=r"'general'.*recruit or captain"):
        choose("general", _seen(0))


def _seen(seat: int | None) -> Observation:
    state = new_game(Options(), 2, 0)
    state, _ = apply(state, None, parse_move(" ".join(("shuffle", *state.shuffle_pile))))
    return observe(state, seat)
