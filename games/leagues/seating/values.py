"""Values of seating: players, past meetings, byes, lots drawn from a seed."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from hmac import digest
from itertools import combinations

SIZES = range(2, 7)


class BadSeating(ValueError):
    """Players who cannot be seated in this way."""


@dataclass(frozen=True, slots=True)
class Seated:
    """One round: each table in seat order, the first Condottiere first, and the players with a bye."""

    tables: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...] = ()

    @property
    def players(self) -> tuple[int, ...]:
        """Everyone in the round, in the order of their numbers."""
        return tuple(sorted((*self.byes, *(player for table in self.tables for player in table))))


@dataclass(frozen=True, slots=True)
class PairingHistory:
    """The relevant counts from earlier rounds; a missing player or pair counts as 0.

    `meetings` counts the tables that two players shared. `places` counts, for each player, how often they sat
    this many seats after the first Condottiere. 0 is the first seat, which `firsts` counts too.
    """

    meetings: Mapping[frozenset[int], int] = field(default_factory=dict)
    firsts: Mapping[int, int] = field(default_factory=dict)
    places: Mapping[int, Mapping[int, int]] = field(default_factory=dict)
    byes: Mapping[int, int] = field(default_factory=dict)

    def was_first(self, player: int) -> int:
        return self.firsts.get(player, 0)

    def sat_at(self, player: int, place: int) -> int:
        """Return how often the player sat this many seats after the first Condottiere."""
        return self.places.get(player, {}).get(place, 0)

    def had_byes(self, player: int) -> int:
        return self.byes.get(player, 0)


def history_of(rounds: Iterable[Seated]) -> PairingHistory:
    """Return the history of these rounds."""
    meetings, firsts, byes = Counter[frozenset[int]](), Counter[int](), Counter[int]()
    places: dict[int, Counter[int]] = {}
    for seated in rounds:
        byes.update(seated.byes)
        for table in seated.tables:
            meetings.update(map(frozenset, combinations(table, 2)))
            firsts[table[0]] += 1
            for place, player in enumerate(table):
                places.setdefault(player, Counter())[place] += 1
    return PairingHistory(meetings, firsts, places, byes)


def require_seatable(players: Collection[int], size: int) -> None:
    """Raise BadSeating if these players cannot be seated at tables of this size."""
    if size not in SIZES:
        raise BadSeating(f"A table has {SIZES[0]} to {SIZES[-1]} seats, not {size}.")
    if len(set(players)) < len(players):
        raise BadSeating("A player is named twice.")
    if len(players) < size:
        raise BadSeating(f"{len(players)} players do not fill a table of {size}.")


# Lots drawn from a published seed, so that anyone can draw them again: HMAC-SHA256 read as numbers.


_BLOCK_BYTES, _WORD_BYTES = 32, 4
_WORD_RANGE = 1 << 32


class Lots:
    """Lots of one seed and one purpose, drawn one after the other.

    Block k is HMAC-SHA256(key, k as four bytes), read as eight numbers of four bytes, big-endian.
    The key is SHA-256 of the purpose and the seed.
    """

    def __init__(self, seed: bytes, purpose: str) -> None:
        self._key = sha256(f"condottiere-seating-1 {purpose}\n".encode() + seed).digest()
        self._block = 0
        self._words: list[int] = []  # of the current block, the next one last

    def below(self, bound: int) -> int:
        """Return a number from 0 to below the bound; words that would favour small numbers are skipped."""
        limit = _WORD_RANGE - _WORD_RANGE % bound
        while (word := self._word()) >= limit:
            pass
        return word % bound

    def shuffled(self, things: Iterable[int]) -> list[int]:
        """Return these in an order drawn by lot (Fisher and Yates, from the end)."""
        order = list(things)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order

    def _word(self) -> int:
        if not self._words:
            data = digest(self._key, self._block.to_bytes(4, "big"), "sha256")
            starts = reversed(range(0, _BLOCK_BYTES, _WORD_BYTES))
            self._words = [int.from_bytes(data[at : at + _WORD_BYTES], "big") for at in starts]
            self._block += 1
        return self._words.pop()


# Byes when the number of players does not divide evenly: everyone gets one before anyone gets two.


def byes_of_round(
    players: Sequence[int],
    count: int,
    past: PairingHistory,
    lots: Lots,
    scores: Mapping[int, Fraction] | None,
) -> tuple[int, ...]:
    """Return the players with the fewest byes; then, if scores count, the lowest scores; then by lot."""
    scores = scores or {}
    drawn = lots.shuffled(sorted(players))
    drawn.sort(key=lambda player: (past.had_byes(player), scores.get(player, Fraction(0))))
    return tuple(sorted(drawn[:count]))


def byes_of_plan(order: Sequence[int], count: int, rounds: int) -> tuple[tuple[int, ...], ...]:
    """Return the byes of each round: the next players in this order, which repeats at its end."""
    return tuple(
        tuple(sorted(order[(count * at + step) % len(order)] for step in range(count)))
        for at in range(rounds)
    )
