"""What happened at the tables of a season, as values: all that a standing may be computed from.

Players are plain numbers; nothing here knows who they are, what time it is, or how a game is stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


class BadFacts(ValueError):
    """What is said about a table, or about who plays, contradicts itself."""


class How(StrEnum):
    """What ended a table: the rules of the game, its players, their absence, or the season's people."""

    RULES = "rules"
    AGREEMENT = "agreement"
    ABANDONED = "abandoned"
    ADJUDICATED = "adjudicated"
    AWARDED = "awarded"


@dataclass(frozen=True, slots=True)
class Holder:
    """Who held a seat, and in how many of its turns; None is a bot by itself."""

    player: int | None
    turns: int = 0

    def __post_init__(self) -> None:
        if self.turns < 0:
            raise BadFacts("Nobody holds a seat in fewer than no turns.")


@dataclass(frozen=True, slots=True)
class SeatFacts:
    """What became of a seat, in all games of its table together.

    `holders` are in order, the first of them was seated by the draw. `bonus` is what victories by connected
    regions scored (R27). `place` counts from 1, and who ties shares it: 1, 2, 2, 4.
    """

    holders: tuple[Holder, ...]
    regions: int = 0
    bonus: int = 0
    won: bool = False
    place: int = 1

    def __post_init__(self) -> None:
        if not self.holders:
            raise BadFacts("A seat has somebody who was seated.")
        if self.place < 1:
            raise BadFacts("Places count from 1.")

    @property
    def seated(self) -> int | None:
        """Whose seat this is, whoever held it later."""
        return self.holders[0].player


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What became of a table. `awarded` are the organiser's points for each seat, None where the table's own
    stand; `reason` is his word for it."""

    table: int
    round: int
    seats: tuple[SeatFacts, ...]
    how: How = How.RULES
    reason: str = ""
    awarded: tuple[Fraction | None, ...] | None = None

    def __post_init__(self) -> None:
        if self.awarded is not None and len(self.awarded) != len(self.seats):
            raise BadFacts("Points are awarded to each seat, or None.")
        seated = self.seated
        if len(seated) != len(set(seated)):
            raise BadFacts("Somebody sits at a table twice.")

    @property
    def seated(self) -> tuple[int, ...]:
        """The people who were seated here, in seat order."""
        return tuple([seat.seated for seat in self.seats if seat.seated is not None])


@dataclass(frozen=True, slots=True)
class ByeFacts:
    """Who had no table in a round, because the numbers did not divide."""

    player: int
    round: int
