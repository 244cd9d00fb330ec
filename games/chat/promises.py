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


def counted(deeds: Iterable[Observed]) -> Count:
    """How far a game has come."""
    count = Count()
    for deed in deeds:
        for event in deed.events:
            count = count.after(event)
    return count


# Whether a pledge was kept: read from the events that came after it stood, one after the other.
#
# What has been judged stays judged, whatever follows. Where the one deed that would decide was not the
# player's own, where somebody else has taken his seat, or where the table ended the game before he could do
# what he said, nothing is held against him or for him: the pledge is void.


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
    """What became of a pledge, and the step that decided it; None while it is open."""

    state: str
    step: int | None = None


def judge(pledge: Promise, deeds: Iterable[Observed]) -> Judgement:
    """What became of a pledge by these deeds, which begin with the game."""
    count = stood_at = Count()
    for deed in deeds:
        for event in deed.events:
            count = count.after(event)
            if deed.step <= pledge.stands_from and not isinstance(event, SeatLeft | GameCut):
                stood_at = count
                continue
            decided = _by_deed(pledge, event, deed) or _by_end(pledge, event, count, stood_at)
            if decided is not None and deed.step >= pledge.stands_from:
                return Judgement(decided, deed.step)
    return Judgement(OPEN)


def _by_deed(pledge: Promise, event: Happening, deed: Observed) -> str | None:
    """What this event makes of the pledge, by whom it was done; None: nothing."""
    if isinstance(event, SeatLeft):
        return VOID if event.seat == pledge.seat else None
    decided = _kept_or_broken(pledge, event)
    return VOID if decided is not None and not deed.by_player else decided


def _kept_or_broken(pledge: Promise, event: Happening) -> str | None:
    match event:
        case RegionChosen(seat=pledge.seat, region=pledge.region) if pledge.kind == NO_ATTACK:
            return BROKEN
        case PopePlaced(seat=pledge.seat, region=pledge.region) if pledge.kind == POPE:
            return KEPT
        case CardPlayed(seat=pledge.seat) if pledge.kind == PASSES:
            return BROKEN
        case Passed(seat=pledge.seat) if pledge.kind == PASSES:
            return KEPT
    return None


def _by_end(pledge: Promise, event: Happening, count: Count, stood_at: Count) -> str | None:
    """What it comes to that its time, or the game, is over; None while neither is."""
    if pledge.kind == PASSES:
        return _by_end_of_battle(event, count, stood_at)
    if isinstance(event, GameCut):
        return KEPT if pledge.kind == NO_ATTACK else VOID
    if isinstance(event, GameEnded) or _is_past(pledge, count):
        return KEPT if pledge.kind == NO_ATTACK else BROKEN
    return None


def _by_end_of_battle(event: Happening, count: Count, stood_at: Count) -> str | None:
    """Who played no card until the battle was over has kept it; without that battle there was nothing to
    keep."""
    if count.battles > stood_at.battles:
        return KEPT
    return VOID if isinstance(event, GameCut | GameEnded) else None


def _is_past(pledge: Promise, count: Count) -> bool:
    rounds_over = pledge.rounds is not None and count.rounds >= pledge.rounds
    return rounds_over or (pledge.battles is not None and count.battles >= pledge.battles)
