"""How a game ends: the goals that win it, and the result as a value."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from .board import largest_group
from .options import Goals

POINTS_FOR_CONNECTED = 5


class EndReason(StrEnum):
    """Why a game ended with winners."""

    ADJACENT_REGIONS = "adjacent regions"
    TOTAL_REGIONS = "total regions"
    MOST_REGIONS = "most regions"
    FINAL_BATTLE = "final battle"


class Outcome(NamedTuple):
    """The winners, ascending, and the reason; several seats may share a tied final battle.

    In Playing for Points it also has what each seat scored (R27).
    """

    winners: tuple[int, ...]
    reason: EndReason
    points: tuple[int, ...] | None = None


def goal_reached(goals: Goals, holding: int) -> EndReason | None:
    """Return the reason why the holder of these regions wins, or None (R15, R48).

    When both are true, the connected group is the reason (R15).
    """
    if largest_group(holding) >= goals.connected:
        return EndReason.ADJACENT_REGIONS
    if goals.total is not None and holding.bit_count() >= goals.total:
        return EndReason.TOTAL_REGIONS
    return None


def with_most_regions(holdings: tuple[int, ...]) -> tuple[int, ...]:
    """Return the seats that hold the most regions, ascending (R20)."""
    counts = [holding.bit_count() for holding in holdings]
    most = max(counts)
    return tuple([seat for seat, count in enumerate(counts) if count == most])


def points_scored(holdings: tuple[int, ...], winners: tuple[int, ...], reason: str) -> tuple[int, ...]:
    """Return each seat's points: 1 per region, and 5 more for a winner by a connected group (R27)."""
    connected = winners if reason == EndReason.ADJACENT_REGIONS else ()
    return tuple(
        [
            holding.bit_count() + (POINTS_FOR_CONNECTED if seat in connected else 0)
            for seat, holding in enumerate(holdings)
        ]
    )


def regions_scored(points: Sequence[int], winners: Sequence[int], reason: str) -> tuple[int, ...]:
    """Return how many regions each seat held when these points were scored (R27)."""
    connected = winners if reason == EndReason.ADJACENT_REGIONS else ()
    return tuple(
        [score - (POINTS_FOR_CONNECTED if seat in connected else 0) for seat, score in enumerate(points)]
    )
