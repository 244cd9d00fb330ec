"""Lessons from games: each choice in a battle teaches the policy, each battle's end the value.

Part of training, not of choosing moves.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
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

from . import battle_policy, position_value
from .battle_world import World
from .card_numbers import Cards, numbered
from .chance import Chance
from .known_cards import KnownCards
from .search import Budget, action_of, choose_move
from .stakes import Stakes
from .weights import LearnedWeights
from .world_building import world_of

Player = Callable[[Observation, str], Move]  # chooses a move with a seed
Sparse = Sequence[tuple[int, float]]


class Lesson(NamedTuple):
    """Alternatives by their features, and how often each was right: numbers that add up to 1."""

    features: tuple[Sparse, ...]
    right: tuple[float, ...]


@dataclass
class Lessons:
    """The lessons of games with the same options and number of seats."""

    policy: list[Lesson] = field(default_factory=list)
    value: list[Lesson] = field(default_factory=list)


def play_and_learn(
    options: Options, players: Sequence[Player], seed: str, lessons: Lessons, *, teaches_policy: bool
) -> None:
    """Play one game and add what it teaches."""
    chance = Chance.of(seed)
    state = new_game(options, len(players), chance.below(len(players)))
    ends: list[tuple[Sparse, ...]] = []
    while not state.is_over:
        if state.shuffle_pile:
            state, _ = apply(state, None, shuffle(state, chance))
            continue
        before, seat = state, pending(state)[0].seat
        seen = observe(state, seat)
        move = players[seat](seen, f"{seed}/{state.ply}")
        if state.phase == Phase.BATTLE and teaches_policy:
            lessons.policy += _choice(seen, move)
        state, _ = apply(state, seat, move)
        if before.phase == Phase.BATTLE and state.battles > before.battles and not state.is_over:
            ends.append(_ending_features(before, seen, move))
    outcome = observe(state, None).outcome
    assert outcome is not None
    share = 1.0 / len(outcome.winners)
    won = tuple([share if seat in outcome.winners else 0.0 for seat in range(len(players))])
    lessons.value += [Lesson(end, won) for end in ends]


def shuffle(state: State, chance: Chance) -> Move:
    """Return the shuffle that is due."""
    pile = list(state.shuffle_pile)
    for last in range(len(pile) - 1, 0, -1):
        other = chance.below(last + 1)
        pile[last], pile[other] = pile[other], pile[last]
    return parse_move(" ".join(("shuffle", *pile)))


def _choice(seen: Observation, move: Move) -> list[Lesson]:
    """Return the lesson of a choice in a battle; none if there was nothing to choose."""
    found = battle_policy.alternatives(_seen_world(seen), Stakes(seen))
    if len(found) == 1:
        return []
    card = action_of(move).card
    right = tuple([float(each.action.card == card) for each in found])
    return [Lesson(tuple([tuple([(place, 1.0) for place in each.features]) for each in found]), right)]


def _ending_features(before: State, seen: Observation, move: Move) -> tuple[Sparse, ...]:
    """Return the features of the position to which the last move of a battle leads."""
    views = [observe(before, seat) for seat in range(before.players)]
    down = [numbered([view.own_face_down] if view.own_face_down else []) for view in views]
    world = world_of(seen, [numbered(view.hand or ()) for view in views], down)
    world.act(action_of(move))
    return tuple(
        [
            tuple([(place, factor) for place, factor in enumerate(features) if factor])
            for features in position_value.features_of(world)
        ]
    )


def _seen_world(seen: Observation) -> World:
    """Return the world as its seat sees it: of the others' cards only their number is right."""
    hands: list[Cards] = [(0,) * size for size in seen.hand_sizes]
    down: list[Cards] = [(0,) if covered else () for covered in seen.face_down]
    assert seen.seat is not None
    hands[seen.seat] = numbered(seen.hand or ())
    down[seen.seat] = numbered([seen.own_face_down] if seen.own_face_down else [])
    return world_of(seen, hands, down)


def captain(seen: Observation, seed: str) -> Move:
    """Play like the bot of that name."""
    return choose("captain", seen)


def strategist_with(learned: LearnedWeights, playouts: int) -> Player:
    """Return the bot itself with these weights, without a memory."""

    def strategist(seen: Observation, seed: str) -> Move:
        return choose_move(seen, KnownCards.none(seen.players), seed, Budget(playouts), learned)

    return strategist
