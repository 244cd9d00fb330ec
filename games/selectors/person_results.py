"""What the games that a person played came to, and how it went with each other player."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from accounts.models import User
from games.rules import EDITIONS
from games.selectors.played_games import PlayedGame

MOST_OPPONENTS = 30


@dataclass
class ResultRow:
    """A person's scored games with one number of players, or all of them."""

    players: int  # 0: any number
    games: int = 0
    won: int = 0  # alone
    shared: int = 0
    share: Fraction = field(default_factory=Fraction)  # of victories: a shared one counts in part
    regions: list[int] = field(default_factory=list)  # held at the end, where that was noted

    def add(self, played: PlayedGame, person: int) -> None:
        """Count a game."""
        winners = len(played.winners)
        self.games += 1
        if played.has_won(person):
            self.won += winners == 1
            self.shared += winners > 1
            self.share += Fraction(1, winners)
        if played.regions is not None:
            self.regions.append(played.regions[played.seats[person]])

    @property
    def percent(self) -> int:
        """The share of victories, in percent."""
        return round(100 * self.share / self.games)

    @property
    def average_regions(self) -> float | None:
        return sum(self.regions) / len(self.regions) if self.regions else None


@dataclass(frozen=True)
class EditionResults:
    """A person's results in one edition: a row for each number of players, then one for all."""

    edition: str
    rows: tuple[ResultRow, ...]


@dataclass
class Opponent:
    """Another player, and how the games with them went; a shared victory counts for both."""

    person: User
    games: int = 0
    won: int = 0
    lost: int = 0  # the other player won


def results_by_edition(played: Iterable[PlayedGame], person: int) -> list[EditionResults]:
    """Return what these games came to for the person; editions without one are left out."""
    found = defaultdict[str, dict[int, ResultRow]](dict)
    for one in played:
        if one.is_scored:
            rows = found[one.edition]
            for players in (one.game.players, 0):
                rows.setdefault(players, ResultRow(players)).add(one, person)
    return [
        EditionResults(edition, tuple(_rows(found[edition])))
        for edition in sorted(EDITIONS, reverse=True)
        if edition in found
    ]


def _rows(rows: dict[int, ResultRow]) -> list[ResultRow]:
    total = rows.pop(0)
    by_size = [rows[players] for players in sorted(rows)]
    return by_size if len(by_size) == 1 else [*by_size, total]


def opponents_of(played: Sequence[PlayedGame], person: int) -> list[Opponent]:
    """Return the players whom the person met most often, in one query; people who have left are left out."""
    met = defaultdict[int, list[PlayedGame]](list)
    for one in played:
        if one.is_scored:
            for other in one.seats.keys() - {person}:
                met[other].append(one)
    people = User.objects.filter(deleted_at=None).in_bulk(met)
    often = sorted(met.keys() & people.keys(), key=lambda other: (-len(met[other]), other))
    return [
        Opponent(
            people[other],
            len(met[other]),
            sum([one.has_won(person) for one in met[other]]),
            sum([one.has_won(other) for one in met[other]]),
        )
        for other in often[:MOST_OPPONENTS]
    ]
