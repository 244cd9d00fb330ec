"""Games that are rated, ratings, and what a game did to them, as values.

Players are plain numbers. Nothing here knows who they are, how a game was played, or what time it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

NEW_MU, NEW_SIGMA = 25.0, 25.0 / 3.0  # what openskill thinks of somebody of whom nothing is known
SETTLED_AFTER = 5  # games; before that a rating tells more of its first opponents than of its player


class BadGame(ValueError):
    """What is said about a game contradicts itself."""


@dataclass(frozen=True, slots=True)
class RatedSeat:
    """Somebody's part in a game; a seat that changed hands is named once for each who held it. None is a bot.

    `place` is the seat's at the end, lower is better, who ties shares it. `stayed`: he played himself until
    the end, neither clock nor bot for him. `helped`: he took a seat over from another.
    """

    player: int | None
    place: int
    stayed: bool = True
    helped: bool = False


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A finished game. `at` is when it ended, as a number; of games that ended together the lower `key` comes
    first."""

    key: int
    edition: str
    at: float
    seats: tuple[RatedSeat, ...]

    def __post_init__(self) -> None:
        players = [seat.player for seat in self.seats if seat.player is not None]
        if len(players) != len(set(players)):
            raise BadGame("Somebody is named twice in a game.")


@dataclass(frozen=True, slots=True)
class Rating:
    """How strong somebody is thought to be, and how surely."""

    mu: float = NEW_MU
    sigma: float = NEW_SIGMA
    games: int = 0

    @property
    def ordinal(self) -> float:
        """What lists are sorted by: he is at least so strong, almost surely. 0 for who is new."""
        return self.mu - 3 * self.sigma

    @property
    def is_provisional(self) -> bool:
        return self.games < SETTLED_AFTER


class Part(StrEnum):
    """By which of the rules a game changed a rating (see rating.py)."""

    PLAYED = "played"
    LEFT = "left"
    HELPED = "helped"


@dataclass(frozen=True, slots=True)
class Change:
    """What a game did to somebody's rating in its edition."""

    game: int
    edition: str
    player: int
    part: Part
    before: Rating
    after: Rating
