"""The course of a game as the whole table saw it, and how many rounds and battles of it are over."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from games.rules import BattleCompared, BattleStopped, Event, RoundEnded


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A seat went to somebody else, who has promised nothing."""

    seat: int


@dataclass(frozen=True, slots=True)
class GameCut:
    """The table itself ended the game, before the rules did."""


Happening = Event | SeatLeft | GameCut


@dataclass(frozen=True, slots=True)
class Deed:
    """What was seen at one entry of a log, redacted for nobody, and the step that it brought about.

    `by_player` is false where a clock or a bot moved: such a move is not the word of the seat's player.
    """

    step: int
    events: tuple[Happening, ...]
    by_player: bool = True


@dataclass(frozen=True, slots=True)
class Count:
    """How many rounds and battles are over; the battle that is fought, or comes next, is one more."""

    rounds: int = 0
    battles: int = 0

    def after(self, event: Happening) -> "Count":
        """The count once this has happened."""
        if isinstance(event, RoundEnded):
            return replace(self, rounds=self.rounds + 1)
        if isinstance(event, BattleCompared | BattleStopped):
            return replace(self, battles=self.battles + 1)
        return self


def counted(deeds: Iterable[Deed]) -> Count:
    """How far a game has come."""
    count = Count()
    for deed in deeds:
        for event in deed.events:
            count = count.after(event)
    return count
