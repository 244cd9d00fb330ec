"""Lessons from games: each battle's end teaches what the position after it is worth.

Part of training, not of choosing moves.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from games.bots import choose
from games.rules import (
    Move,
    Observation,
    Options,
    Phase,
    State,
    apply,
    new_game,
    observe,
    parse_move,
    pending,
)

from .card_numbers import numbered
from .chance import Chance
from .hand_lessons import HandTally
from .known_cards import KnownCards
from .position_value import features_of
from .search import Budget, action_of, choose_move
from .weights import LearnedWeights
from .world_building import world_of

Player = Callable[[Observation, str], Move]  # chooses a move with a seed
Sparse = Sequence[tuple[int, float]]


class Lesson(NamedTuple):
    """Seats by their features, and what part of the victory each had: numbers that add up to 1."""

    features: tuple[Sparse, ...]
    right: tuple[float, ...]


def lessons_of_game(
    options: Options, players: Sequence[Player], seed: str, tally: HandTally | None = None
) -> list[Lesson]:
    """Play one game and return what it teaches about positions; `tally` counts the hands."""
    chance = Chance.of(seed)
    state = new_game(options, len(players), chance.below(len(players)))
    ends: list[tuple[Sparse, ...]] = []
    while not state.is_over:
        if state.shuffle_pile:
            state, _ = apply(state, None, shuffle(state, chance))
            continue
        before, seat = state, pending(state)[0].seat
        seen = observe(state, seat)
        if tally is not None:
            tally.count(seen, [observe(state, other).hand for other in range(len(players))])
        move = players[seat](seen, f"{seed}/{state.ply}")
        state, _ = apply(state, seat, move)
        if before.phase == Phase.BATTLE and state.battles > before.battles and not state.is_over:
            ends.append(_ending_features(before, seen, move))
    outcome = observe(state, None).outcome
    assert outcome is not None
    share = 1.0 / len(outcome.winners)
    won = tuple([share if seat in outcome.winners else 0.0 for seat in range(len(players))])
    return [Lesson(end, won) for end in ends]


def shuffle(state: State, chance: Chance) -> Move:
    """Return the shuffle that is due."""
    pile = list(state.shuffle_pile)
    for last in range(len(pile) - 1, 0, -1):
        other = chance.below(last + 1)
        pile[last], pile[other] = pile[other], pile[last]
    return parse_move(" ".join(("shuffle", *pile)))


def _ending_features(before: State, seen: Observation, move: Move) -> tuple[Sparse, ...]:
    """Return the features of the position to which the last move of a battle leads."""
    views = [observe(before, seat) for seat in range(before.players)]
    down = [numbered([view.own_face_down] if view.own_face_down else []) for view in views]
    world = world_of(seen, [numbered(view.hand or ()) for view in views], down)
    world.act(action_of(move))
    return tuple(
        [
            tuple([(place, factor) for place, factor in enumerate(features) if factor])
            for features in features_of(world)
        ]
    )


def captain(seen: Observation, seed: str) -> Move:
    """Play like the bot of that name."""
    return choose("captain", seen)


def strategist_with(learned: LearnedWeights, playouts: int) -> Player:
    """Return the bot itself with these weights, without a memory."""

    def strategist(seen: Observation, seed: str) -> Move:
        return choose_move(seen, KnownCards.none(seen.players), seed, Budget(playouts), learned)

    return strategist
