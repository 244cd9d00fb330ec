"""Judge promises by what everyone at the table saw happen. Pure: values in, a judgement out."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from games.rules import (
    BattleCompared,
    BattleStopped,
    CardPlayed,
    Event,
    GameEnded,
    Passed,
    PopePlaced,
    RegionChosen,
    RoundEnded,
)

__all__ = [
    "BROKEN",
    "KEPT",
    "NO_ATTACK",
    "OPEN",
    "PASSES",
    "POPE",
    "VOID",
    "Count",
    "GameCut",
    "Happening",
    "Judgement",
    "Observed",
    "Promise",
    "SeatLeft",
    "counted",
    "judge",
]


# The course of a game as the whole table saw it, and how many rounds and battles of it are over.


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A seat went to somebody else, who has promised nothing."""

    seat: int


@dataclass(frozen=True, slots=True)
class GameCut:
    """The table itself ended the game, before the rules did."""


Happening = Event | SeatLeft | GameCut


@dataclass(frozen=True, slots=True)
class Observed:
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


def counted(observeds: Iterable[Observed]) -> Count:
    """How far a game has come."""
    count = Count()
    for observed in observeds:
        for event in observed.events:
            count = count.after(event)
    return count


# Whether a promise was kept: read from the events that came after it stood, one after the other.
#
# What has been judged stays judged, whatever follows. Where the one observed that would decide was not the
# player's own, where somebody else has taken his seat, or where the table ended the game before he could do
# what he said, nothing is held against him or for him: the promise is void.


OPEN, KEPT, BROKEN, VOID = "open", "kept", "broken", "void"
NO_ATTACK, PASSES, POPE = "no attack", "passes", "pope"


@dataclass(frozen=True, slots=True)
class Promise:
    """What a seat promised, and the step at which it stood.

    It holds until so many rounds or battles are over, else to the end of the game. To pass is promised for
    the battle that was fought when it stood, or for the next.
    """

    seat: int
    kind: str
    stands_from: int
    region: str | None = None
    rounds: int | None = None
    battles: int | None = None


class Judgement(NamedTuple):
    """What became of a promise, and the step that decided it; None while it is open."""

    state: str
    step: int | None = None


def judge(promise: Promise, observeds: Iterable[Observed]) -> Judgement:
    """What became of a promise by these observeds, which begin with the game."""
    count = stood_at = Count()
    for observed in observeds:
        for event in observed.events:
            count = count.after(event)
            if observed.step <= promise.stands_from and not isinstance(event, SeatLeft | GameCut):
                stood_at = count
                continue
            decided = _by_observed(promise, event, observed) or _by_end(promise, event, count, stood_at)
            if decided is not None and observed.step >= promise.stands_from:
                return Judgement(decided, observed.step)
    return Judgement(OPEN)


def _by_observed(promise: Promise, event: Happening, observed: Observed) -> str | None:
    """What this event makes of the promise, by whom it was done; None: nothing."""
    if isinstance(event, SeatLeft):
        return VOID if event.seat == promise.seat else None
    decided = _kept_or_broken(promise, event)
    return VOID if decided is not None and not observed.by_player else decided


def _kept_or_broken(promise: Promise, event: Happening) -> str | None:
    match event:
        case RegionChosen(seat=promise.seat, region=promise.region) if promise.kind == NO_ATTACK:
            return BROKEN
        case PopePlaced(seat=promise.seat, region=promise.region) if promise.kind == POPE:
            return KEPT
        case CardPlayed(seat=promise.seat) if promise.kind == PASSES:
            return BROKEN
        case Passed(seat=promise.seat) if promise.kind == PASSES:
            return KEPT
    return None


def _by_end(promise: Promise, event: Happening, count: Count, stood_at: Count) -> str | None:
    """What it comes to that its time, or the game, is over; None while neither is."""
    if promise.kind == PASSES:
        return _by_end_of_battle(event, count, stood_at)
    if isinstance(event, GameCut):
        return KEPT if promise.kind == NO_ATTACK else VOID
    if isinstance(event, GameEnded) or _is_past(promise, count):
        return KEPT if promise.kind == NO_ATTACK else BROKEN
    return None


def _by_end_of_battle(event: Happening, count: Count, stood_at: Count) -> str | None:
    """Who played no card until the battle was over has kept it; without that battle there was nothing to
    keep."""
    if count.battles > stood_at.battles:
        return KEPT
    return VOID if isinstance(event, GameCut | GameEnded) else None


def _is_past(promise: Promise, count: Count) -> bool:
    rounds_over = promise.rounds is not None and count.rounds >= promise.rounds
    return rounds_over or (promise.battles is not None and count.battles >= promise.battles)
