"""Which regions would win the game at once, computed from what a seat may know."""

from .board import ALL_REGIONS, REGION_NUMBER, REGIONS, regions_in
from .observation import Observation
from .options import Goals
from .outcome import goal_reached, with_most_regions
from .state import OVER


def prizes(seen: Observation) -> dict[str, tuple[int, ...]]:
    """Return the seats that would win the game by taking each region that may be fought for now.

    They win by their own goal (R15, R31, R48), or because no region is then left to choose (R20).
    """
    if seen.phase == OVER or seen.final_battle:
        return {}
    holdings = _holdings(seen)
    goals = seen.options.goals(seen.players)
    winners = {
        region: tuple([seat for seat in range(seen.players) if _wins(seen, goals, holdings, seat, region)])
        for region in regions_in(_fought_for(seen, holdings))
    }
    return {REGIONS[region]: seats for region, seats in winners.items() if seats}


def _holdings(seen: Observation) -> tuple[int, ...]:
    """Return the regions of each seat as a bit mask."""
    holdings = [0] * seen.players
    for region, seat in seen.control:
        holdings[seat] |= 1 << REGION_NUMBER[region]
    return tuple(holdings)


def _fought_for(seen: Observation, holdings: tuple[int, ...]) -> int:
    """Return the region fought for, and those that some holder of the token could choose (R3, R32, R41)."""
    if seen.options.is_1995:
        return ALL_REGIONS
    free = ALL_REGIONS if seen.options.captures_regions else ALL_REGIONS & ~_all_of(holdings)
    return (free & ~_mask(seen.pope)) | _mask(seen.battle)


def _wins(seen: Observation, goals: Goals, holdings: tuple[int, ...], seat: int, region: int) -> bool:
    """Return whether this seat wins the game by taking this region; False for a region it holds already."""
    if holdings[seat] >> region & 1:
        return False
    after = tuple(
        [
            held | 1 << region if owner == seat else held & ~(1 << region)
            for owner, held in enumerate(holdings)
        ]
    )
    if goal_reached(goals, after[seat]):
        return True
    return _fills_the_board(seen, after) and _leads(seen, after, seat)


def _fills_the_board(seen: Observation, after: tuple[int, ...]) -> bool:
    """Return whether no one could then choose a region (R20).

    Where held regions may be fought for, someone always can.
    """
    if seen.options.is_1995 or seen.options.captures_regions:
        return False
    return not ALL_REGIONS & ~_all_of(after) & ~_mask(seen.pope)


def _leads(seen: Observation, after: tuple[int, ...], seat: int) -> bool:
    """Return whether this seat wins by most regions.

    A tie is fought out (R20), except in Playing for Points (R27).
    """
    leaders = with_most_regions(after)
    return seat in leaders and (len(leaders) == 1 or seen.options.plays_for_points)


def _all_of(holdings: tuple[int, ...]) -> int:
    taken = 0
    for holding in holdings:
        taken |= holding
    return taken


def _mask(region: str | None) -> int:
    return 0 if region is None else 1 << REGION_NUMBER[region]
