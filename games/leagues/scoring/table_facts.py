"""Facts about a season's tables, as values: everything from which points and standings are computed.

Players are plain numbers. Nothing here knows who they are, what time it is, or how a game is stored.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction


class BadFacts(ValueError):
    """Contradictory facts about a table or its players."""


class TableEnding(StrEnum):
    """How a table ended: by the rules, its players, their absence, or the season's organisers."""

    RULES = "rules"
    AGREEMENT = "agreement"
    ABANDONED = "abandoned"
    ADJUDICATED = "adjudicated"
    AWARDED = "awarded"


@dataclass(frozen=True, slots=True)
class Holder:
    """A holder of a seat, with the number of its turns they played; None is a bot in an empty seat.

    In the turns they `missed` they ran out of time; these count for their reliability only.
    """

    player: int | None
    turns: int = 0
    missed: int = 0

    def __post_init__(self) -> None:
        if self.turns < 0:
            raise BadFacts("The number of turns can't be negative.")


@dataclass(frozen=True, slots=True)
class SeatFacts:
    """The results of a seat, over all games of its table.

    `holders` are in order; the first was seated by the draw.
    `bonus` is what victories by connected regions scored (R27).
    `place` counts from 1, and ties share it: 1, 2, 2, 4.
    `left`: at the end the clock or a bot played for its last holder. It counts for ratings only.
    """

    holders: tuple[Holder, ...]
    regions: int = 0
    bonus: int = 0
    won: bool = False
    place: int = 1
    left: bool = False

    def __post_init__(self) -> None:
        if not self.holders:
            raise BadFacts("A seat has at least one holder.")
        if self.place < 1:
            raise BadFacts("Places count from 1.")

    @property
    def seated(self) -> int | None:
        """The player originally seated here, regardless of later holders."""
        return self.holders[0].player


@dataclass(frozen=True, slots=True)
class TableFacts:
    """The results of a table.

    `awarded` has the organiser's points for each seat, None where the table's own points count.
    `reason` is the organiser's.
    """

    table: int
    round: int
    seats: tuple[SeatFacts, ...]
    how: TableEnding = TableEnding.RULES
    reason: str = ""
    awarded: tuple[Fraction | None, ...] | None = None

    def __post_init__(self) -> None:
        if self.awarded is not None and len(self.awarded) != len(self.seats):
            raise BadFacts("Points are awarded to each seat, or None.")
        seated = self.seated
        if len(seated) != len(set(seated)):
            raise BadFacts("A player sits at the table twice.")

    @property
    def seated(self) -> tuple[int, ...]:
        """The players who were seated here, in seat order."""
        return tuple([seat.seated for seat in self.seats if seat.seated is not None])


@dataclass(frozen=True, slots=True)
class SeatCorrection:
    """A seat's place and regions as an organiser corrected them."""

    place: int
    regions: int

    def __post_init__(self) -> None:
        if self.place < 1 or self.regions < 0:
            raise BadFacts("Places count from 1, regions from 0.")


def corrected(table: TableFacts, corrections: Sequence[SeatCorrection]) -> TableFacts:
    """Return the table with these places and regions, one correction for each seat.

    Those in first place win; if all share it, no one does. With the places as played, so are the winners.
    """
    if len(corrections) != len(table.seats):
        raise BadFacts("A correction has all seats.")
    places = [one.place for one in corrections]
    if places != [1 + sum([other < place for other in places]) for place in places]:
        raise BadFacts("Places count from 1, and seats that share one leave out the next.")
    is_as_played = places == [seat.place for seat in table.seats]
    seats = [
        replace(
            seat,
            place=one.place,
            regions=one.regions,
            won=seat.won if is_as_played else one.place == 1 and set(places) != {1},
        )
        for seat, one in zip(table.seats, corrections, strict=True)
    ]
    return replace(table, seats=tuple(seats), how=TableEnding.AWARDED)


@dataclass(frozen=True, slots=True)
class ByeFacts:
    """A player who had no table in a round, because an odd number of players played duels."""

    player: int
    round: int


def places_of(scores: Sequence[int], winners: Collection[int]) -> tuple[int, ...]:
    """Return the place of each seat: winners first, then by score; equal seats share a place.

    If no one won, all share the first place.
    """
    if not winners:
        return (1,) * len(scores)
    ranks = [(seat in winners, 0 if seat in winners else score) for seat, score in enumerate(scores)]
    return tuple([1 + sum([other > own for other in ranks]) for own in ranks])
