"""Values of seating: players at tables and their past meetings."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations

# Of the file from which a draw can be checked: in the first kind, all sizes are those of a single round.
KIND_OF_ONE_ROUND, KIND = "condottiere-seating-1", "condottiere-seating-2"


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
