"""What a move was worth: Strategist's own choice and the move made, tried in the same imagined worlds.

The worlds are others than those in which the choice was found. So the choice has no luck of its own.
"""

from dataclasses import dataclass
from statistics import median_low

from games.rules import Move, Observation, Phase

from .battle_world import World
from .chance import Chance
from .known_cards import KnownCards
from .position_value import chances
from .search import Budget, after_move, choose_move, played_out
from .stakes import Stakes
from .weights import own_weights
from .world_building import Dealer

DEALS = 60


@dataclass(frozen=True)
class Tried:
    """What a move led to in the imagined worlds."""

    move: str
    chances: tuple[float, ...]  # of each seat to win the game
    own: int = 0  # the strength that the seat mostly reached in the battle; 0 without one
    rival: int | None = None  # the seat that most often was the strongest of the others
    reach: int = 0  # the strength that it mostly reached


@dataclass(frozen=True)
class MoveJudgement:
    """A move and Strategist's choice, both tried."""

    seat: int
    best: Tried
    made: Tried

    @property
    def loss(self) -> float:
        """How much of its chance to win the move cost the seat."""
        return self.best.chances[self.seat] - self.made.chances[self.seat]


def judge(seen: Observation, known: KnownCards, seed: str, budget: Budget, move: Move) -> MoveJudgement:
    """Return what a legal move is worth next to Strategist's choice. Raises DamagedWeights."""
    assert seen.seat is not None
    best = choose_move(seen, known, seed, budget)
    first = _tried(seen, known, seed, best)
    return MoveJudgement(seen.seat, first, first if move == best else _tried(seen, known, seed, move))


def advise(seen: Observation, known: KnownCards, seed: str, budget: Budget) -> Tried:
    """Return Strategist's choice, and what it leads to. Raises DamagedWeights."""
    return _tried(seen, known, seed, choose_move(seen, known, seed, budget))


def _tried(seen: Observation, known: KnownCards, seed: str, move: Move) -> Tried:
    """Try a move in worlds that depend on the seed alone."""
    stakes, dealer, chance = Stakes(seen), Dealer(seen, known), Chance.of(f"{seed}/tried")
    weights = own_weights().of(seen.options, seen.players)
    ends = []
    for _ in range(DEALS):
        world, luck = dealer.deal(chance), chance.below(1 << 31)
        ends.append(played_out(after_move(seen, world, move), stakes, weights, Chance(luck)))
    sums = [
        sum(column) / DEALS for column in zip(*[chances(end, weights.value) for end in ends], strict=True)
    ]
    if seen.phase not in (Phase.PLACE, Phase.BATTLE):
        return Tried(str(move), tuple(sums))
    return Tried(str(move), tuple(sums), *_strengths(ends, seen.seat))


def _strengths(ends: list[World], seat: int | None) -> tuple[int, int | None, int]:
    """Return how strong the seat mostly became, its strongest rival and how strong that one mostly became."""
    assert seat is not None
    others = [other for other in range(ends[0].players) if other != seat]
    strongest = [max(others, key=lambda other: end.totals[other]) for end in ends]
    rival = max(others, key=strongest.count)
    own = median_low([end.totals[seat] for end in ends])
    return own, rival, median_low([end.totals[rival] for end in ends])
