"""A round as it was seated, what is remembered of rounds, and what cannot be seated."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations

SIZES = range(2, 7)


class BadSeating(ValueError):
    """Nobody can be seated in this way."""


class WrongSize(BadSeating):
    """No table has so many seats."""


class NotEnoughPlayers(BadSeating):
    """They do not fill one table."""


class PlayerTwice(BadSeating):
    """The same player would have two seats."""


@dataclass(frozen=True, slots=True)
class Seated:
    """One round: each table in the order of its seats, the first Condottiere first; and who does not play."""

    tables: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...] = ()

    @property
    def players(self) -> tuple[int, ...]:
        """Everybody of the round, in the order of their numbers."""
        return tuple(sorted((*self.byes, *(player for table in self.tables for player in table))))


@dataclass(frozen=True, slots=True)
class Past:
    """What counts of earlier rounds. Who is not named has met nobody, and was never first or without a game.

    `meetings` counts the tables that two shared. `places` counts for each player how often he sat how many
    seats after the first Condottiere; 0 is the first himself, whom `firsts` counts too.
    """

    meetings: Mapping[frozenset[int], int] = field(default_factory=dict)
    firsts: Mapping[int, int] = field(default_factory=dict)
    places: Mapping[int, Mapping[int, int]] = field(default_factory=dict)
    byes: Mapping[int, int] = field(default_factory=dict)

    def met(self, one: int, other: int) -> int:
        """How many tables these two have shared."""
        return self.meetings.get(frozenset((one, other)), 0)

    def was_first(self, player: int) -> int:
        return self.firsts.get(player, 0)

    def sat_at(self, player: int, place: int) -> int:
        """How often he sat so many seats after the first Condottiere."""
        return self.places.get(player, {}).get(place, 0)

    def had_byes(self, player: int) -> int:
        return self.byes.get(player, 0)


def past_of(rounds: Iterable[Seated]) -> Past:
    """What is remembered of these rounds."""
    meetings, firsts, byes = Counter[frozenset[int]](), Counter[int](), Counter[int]()
    places: dict[int, Counter[int]] = {}
    for seated in rounds:
        byes.update(seated.byes)
        for table in seated.tables:
            meetings.update(map(frozenset, combinations(table, 2)))
            firsts[table[0]] += 1
            for place, player in enumerate(table):
                places.setdefault(player, Counter())[place] += 1
    return Past(meetings, firsts, places, byes)


def require_seatable(players: Collection[int], size: int) -> None:
    """Raise what is wrong with seating these at tables of this size."""
    if size not in SIZES:
        raise WrongSize(f"A table has {SIZES[0]} to {SIZES[-1]} seats, not {size}.")
    if len(set(players)) < len(players):
        raise PlayerTwice("A player is named twice.")
    if len(players) < size:
        raise NotEnoughPlayers(f"{len(players)} players do not fill a table of {size}.")
