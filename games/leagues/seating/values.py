"""Values of seating: players, past meetings, byes, lots drawn from a seed."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from hmac import digest
from itertools import combinations

KIND = "condottiere-seating-1"  # of the file from which a draw can be checked
SIZES = range(2, 7)
LEAST_AT_TABLE = 3  # except for two-player tables


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


def require_sizes(players: Collection[int], size: int) -> tuple[int, ...]:
    """Return the sizes of these players' tables. Raises BadSeating if they make no table."""
    if size not in SIZES:
        raise BadSeating(f"A table has {SIZES[0]} to {SIZES[-1]} seats, not {size}.")
    if len(set(players)) < len(players):
        raise BadSeating("A player is named twice.")
    sizes = table_sizes(len(players), size)
    if not sizes:
        raise BadSeating(f"{len(players)} players do not fill a table.")
    return sizes


# The sizes of a round's tables. Tables of other sizes seat the rest of a division, so that everyone plays.


_ONE_MORE, _ONE_FEWER, _BEYOND = 2, 7, 40


@lru_cache(maxsize=256)
def table_sizes(players: int, size: int) -> tuple[int, ...]:
    """Return the sizes of the tables that this many players make, the largest first.

    The cheapest sizes are those with the least total of `_odd_cost`, in a season of this size.
    Duels are always pairs, and one of an odd number has a bye. Otherwise, fewer than three make no table.
    """
    if size == SIZES[0]:
        return (size,) * (players // size)
    cheapest: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
    for seated in range(LEAST_AT_TABLE, players + 1):
        cheapest[seated] = min(
            _with_table(cheapest[seated - table], table, size)
            for table in range(LEAST_AT_TABLE, SIZES.stop)
            if seated - table in cheapest
        )
    return cheapest.get(players, cheapest[0])[1]


def _with_table(way: tuple[int, tuple[int, ...]], table: int, size: int) -> tuple[int, tuple[int, ...]]:
    cost, sizes = way
    return cost + _odd_cost(table, size), tuple(sorted((*sizes, table), reverse=True))


def _odd_cost(table: int, size: int) -> int:
    """Return what a table costs that is not of the season's size: one more seat is better than one fewer."""
    if table in (size, size + 1):
        return _ONE_MORE * (table - size)
    return _ONE_FEWER if table == size - 1 else _BEYOND * (abs(table - size) - 1)


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


# Byes when an odd number of players play duels: everyone gets one before anyone gets two.


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
