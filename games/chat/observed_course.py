"""The course of a game as everyone saw it, with counts of finished rounds and battles. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from games.rules import BattleCompared, BattleStopped, Event, RoundEnded


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A seat went to another player, who has promised nothing."""

    seat: int


@dataclass(frozen=True, slots=True)
class GameCut:
    """The site ended the game before the rules did."""


Happening = Event | SeatLeft | GameCut


@dataclass(frozen=True, slots=True)
class Observed:
    """What everyone saw at one log entry, and the step it led to.

    `by_player` is false if the clock or a bot moved. Such a move doesn't count as the player's own.
    """

    step: int
    events: tuple[Happening, ...]
    by_player: bool = True


@dataclass(frozen=True, slots=True)
class Count:
    """The numbers of finished rounds and battles. The current or next battle is one more."""

    rounds: int = 0
    battles: int = 0

    def after(self, event: Happening) -> "Count":
        """Return the count after this event."""
        if isinstance(event, RoundEnded):
            return replace(self, rounds=self.rounds + 1)
        if isinstance(event, BattleCompared | BattleStopped):
            return replace(self, battles=self.battles + 1)
        return self


def counted(observeds: Iterable[Observed]) -> Count:
    """Return how many rounds and battles are over."""
    count = Count()
    for observed in observeds:
        for event in observed.events:
            count = count.after(event)
    return count
