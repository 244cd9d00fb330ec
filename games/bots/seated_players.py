"""The players of a measured game: bots of each kind, and random play. Not part of choosing moves."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from time import process_time

from games.rules import Event, Move, State, legal_moves, observe, redact

from . import STRENGTHS, choose
from .strategist import Budget, KnownCards, choose_move
from .strategist.likely_hands import EVEN
from .strategist.weights import LearnedWeights, own_weights, read_weights

RANDOM = "random"
STRATEGIST = "strategist"
PREVIOUS = "previous"  # Strategist as another training taught it
KINDS: tuple[str, ...] = (*STRENGTHS, STRATEGIST, PREVIOUS, RANDOM)
_REMEMBER = (STRATEGIST, PREVIOUS)
WITH_ORDERS = " with orders"  # ends the name of a kind that gives standing orders
PARTS = ("value", "memory", "hands")  # of Strategist, each of which can be left out
PLAYOUTS_A_SECOND = 900  # about what one core of a small server manages


@dataclass(frozen=True)
class Thought:
    """How long Strategist thinks about a move: a number of playouts, cut off after some processor time.

    Without its value, all positions between two battles are alike. Without its memory, it forgets cards that
    were shown. Without hands, all unseen cards are as likely to be in one. `previous` is the file of another
    training's weights.
    """

    playouts: int = 100
    seconds: float | None = None
    without: tuple[str, ...] = ()
    previous: str | None = None

    @classmethod
    def lasting(cls, seconds: float) -> "Thought":
        """Return as much thought as fits into this time."""
        return cls(int(seconds * PLAYOUTS_A_SECOND), seconds)

    def budget(self) -> Budget:
        """Return the budget of a move that begins now."""
        if self.seconds is None:
            return Budget(self.playouts)
        end = process_time() + self.seconds
        return Budget(self.playouts, lambda: process_time() >= end)


class SeatedPlayers:
    """The players of one game, with what those remember who need more than an observation."""

    def __init__(self, kinds: Sequence[str], seed: str, thought: Thought, rng: Random) -> None:
        self.kinds = kinds
        self._seed, self._thought, self._rng = seed, thought, rng
        self._known = {
            seat: KnownCards.none(len(kinds)) for seat, kind in enumerate(kinds) if kind in _REMEMBER
        }

    def choose(self, state: State, seat: int) -> Move:
        """Return the move of a seat; bots see their observation only."""
        kind = self.kinds[seat].removesuffix(WITH_ORDERS)
        if kind == RANDOM:
            return self._rng.choice(legal_moves(state, seat))
        seen = observe(state, seat)
        if kind in _REMEMBER:
            seed = f"{self._seed}/{state.ply}"
            return choose_move(seen, self._known[seat], seed, self._thought.budget(), self._weights(kind))
        return choose(kind, seen)

    def _weights(self, kind: str) -> LearnedWeights:
        if kind == PREVIOUS:
            assert self._thought.previous is not None
            return _weights_of(self._thought.previous)
        return _weights_without(self._thought.without)

    def follow(self, told: Sequence[Event]) -> None:
        """Let the players remember what happened."""
        if "memory" in self._thought.without:
            return
        for seat, known in self._known.items():
            self._known[seat] = known.after(redact(told, seat))


@lru_cache(maxsize=1)
def _weights_of(file: str) -> LearnedWeights:
    """Return the weights of a file. Raises DamagedWeights."""
    return read_weights(Path(file))


@lru_cache(maxsize=2)
def _weights_without(parts: tuple[str, ...]) -> LearnedWeights:
    """Return the bot's own weights, without what is left out. Raises DamagedWeights."""
    own = own_weights()
    nothing = {name: [0.0] * len(some) for name, some in own.parts.items()}
    return LearnedWeights(nothing if "value" in parts else own.parts, EVEN if "hands" in parts else own.hands)
