"""Bots answer every question with a legal move, the same one again, from what their seat sees and no more."""

from collections import Counter
from random import Random

import pytest

from games.bots import STRENGTHS, choose
from games.bots.duel import duel
from games.rules import (
    Observation,
    Options,
    apply,
    legal_moves,
    new_game,
    observe,
    parse_move,
    pending,
    replay,
)
from tests.rules.random_play import random_game
from tests.rules.resampling import resampled
from tests.rules.stage import staged

pytestmark = [pytest.mark.once, pytest.mark.timeout(1200)]


def test_every_answer_is_legal_wherever_random_play_leads(long: bool) -> None:
    asked: Counter[tuple[int, str]] = Counter()
    for seed in range(1000 if long else 40):
        game = random_game(seed)
        for state in replay(game.options, game.players, game.first, game.log).states[:: 3 if long else 7]:
            for question in pending(state):
                for strength in STRENGTHS:
                    seen = observe(state, question.seat)
                    move = choose(strength, seen)
                    assert move in legal_moves(state, question.seat)
                    assert choose(strength, seen) == move
                    asked[game.players, question.kind] += 1
    assert sum(asked.values()) > 1500
    assert {players for players, _ in asked} == {2, 3, 4, 5, 6}
    assert {kind for _, kind in asked} == {"place", "battle", "hand", "keep"}


def test_what_a_seat_cannot_know_changes_no_answer(long: bool) -> None:
    compared = differing = 0
    for seed in range(600 if long else 40):
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
    assert differing > 0.7 * compared > 100


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("strength", STRENGTHS)
def test_games_between_bots_end(strength: str, players: int, long: bool) -> None:
    played = duel([strength] * players, 200 if long else 6, "ends")
    assert played.scores[strength].games == played.scores[strength].won
    assert played.longest < 4000


@pytest.mark.parametrize("strength", STRENGTHS)
def test_the_chooser_fights_so_that_nobody_passes_for_ever(strength: str) -> None:
    state = staged("1 | 10 10 10 10 10 10 10 10 6 6", control="napoli=1 spoleto=1 ancona=1")
    assert str(choose(strength, observe(state, 0))) == "play 1"


@pytest.mark.parametrize("strength", STRENGTHS)
def test_who_is_not_asked_is_answered_nothing(strength: str) -> None:
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
