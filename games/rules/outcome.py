"""How a game ends: the goals that win it, and the result as a value."""

from typing import NamedTuple

from .board import largest_group
from .options import Options

ADJACENT_REGIONS = "adjacent regions"
TOTAL_REGIONS = "total regions"
MOST_REGIONS = "most regions"
FINAL_BATTLE = "final battle"


class Outcome(NamedTuple):
    """Who won, ascending (several share a drawn final battle), and by what."""

    winners: tuple[int, ...]
    reason: str


def goal_reached(options: Options, players: int, holding: int) -> str | None:
    """The reason the holder of these regions wins, or None; the connected group is named first (R15)."""
    goals = options.goals(players)
    if largest_group(holding) >= goals.connected:
        return ADJACENT_REGIONS
    if holding.bit_count() >= goals.total:
        return TOTAL_REGIONS
    return None


def with_most_regions(holdings: tuple[int, ...]) -> tuple[int, ...]:
    """The seats that control the most regions, ascending (R20)."""
    counts = [holding.bit_count() for holding in holdings]
    most = max(counts)
    return tuple([seat for seat, count in enumerate(counts) if count == most])
