"""Judge promises by what everyone at the table saw happen. Pure: values in, a judgement out."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from games.chat.observed_course import Count, GameCut, Happening, Observed, SeatLeft
from games.rules import CardPlayed, GameEnded, Passed, PopePlaced, RegionChosen

OPEN, KEPT, BROKEN, VOID = "open", "kept", "broken", "void"
NO_ATTACK, PASSES, POPE = "no attack", "passes", "pope"


@dataclass(frozen=True, slots=True)
class Promise:
    """A seat's promise, and the step from which it holds.

    It holds until so many rounds or battles are over, otherwise to the end of the game. A promise to pass is
    for the battle fought when it began to hold, or else for the next.
    """

    seat: int
    kind: str
    stands_from: int
    region: str | None = None
    rounds: int | None = None
    battles: int | None = None


class Judgement(NamedTuple):
    """The outcome of a promise, and the step that decided it; None while it is open."""

    state: str
    step: int | None = None


def judge(promise: Promise, observeds: Iterable[Observed]) -> Judgement:
    """Return the outcome of a promise. `observeds` begin with the start of the game."""
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
    """Return what this event makes of the promise, considering who caused it; None for nothing."""
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
    """Return the outcome if the promise's time or the game is over; None otherwise."""
    if promise.kind == PASSES:
        return _by_end_of_battle(event, count, stood_at)
    if isinstance(event, GameCut):
        return KEPT if promise.kind == NO_ATTACK else VOID
    if isinstance(event, GameEnded) or _is_past(promise, count):
        return KEPT if promise.kind == NO_ATTACK else BROKEN
    return None


def _by_end_of_battle(event: Happening, count: Count, stood_at: Count) -> str | None:
    """Return the outcome of a promise at the end of a battle.

    A player who played no card until the end has kept it. Without that battle, there was nothing to keep.
    """
    if count.battles > stood_at.battles:
        return KEPT
    return VOID if isinstance(event, GameCut | GameEnded) else None


def _is_past(promise: Promise, count: Count) -> bool:
    rounds_over = promise.rounds is not None and count.rounds >= promise.rounds
    return rounds_over or (promise.battles is not None and count.battles >= promise.battles)
