"""Where a conquest would win the game at once, told from what a seat may know."""

from .board import ALL_REGIONS, REGION_NUMBER, REGIONS, regions_in
from .observation import Observation
from .outcome import goal_reached, with_most_regions
from .state import OVER


def prizes(seen: Observation) -> dict[str, tuple[int, ...]]:
    """For each region that may be fought for as the board stands: the seats that would win the game by taking
    it, by their own goal (R15, R31, R48) or because no region is left to choose then (R20)."""
    if seen.phase == OVER or seen.final_battle:
        return {}
    holdings = _holdings(seen)
    winners = {
        region: tuple([seat for seat in range(seen.players) if _wins(seen, holdings, seat, region)])
        for region in regions_in(_fought_for(seen, holdings))
    }
    return {REGIONS[region]: seats for region, seats in winners.items() if seats}


def _holdings(seen: Observation) -> tuple[int, ...]:
    """The regions of each seat as a bit mask."""
    holdings = [0] * seen.players
    for region, seat in seen.control:
        holdings[seat] |= 1 << REGION_NUMBER[region]
    return tuple(holdings)


def _fought_for(seen: Observation, holdings: tuple[int, ...]) -> int:
    """The region fought for, and those that some holder of the Condottiere could choose (R3, R32, R41)."""
    if seen.options.is_1995:
        return ALL_REGIONS
    free = ALL_REGIONS if seen.options.captures_regions else ALL_REGIONS & ~_all_of(holdings)
    return (free & ~_mask(seen.pope)) | _mask(seen.battle)


def _wins(seen: Observation, holdings: tuple[int, ...], seat: int, region: int) -> bool:
    """Whether this seat wins the game by taking this region; what it holds already wins it nothing."""
    if holdings[seat] >> region & 1:
        return False
    after = tuple(
        [
            held | 1 << region if owner == seat else held & ~(1 << region)
            for owner, held in enumerate(holdings)
        ]
    )
    if goal_reached(seen.options, seen.players, after[seat]):
        return True
    return _fills_the_board(seen, after) and _leads(seen, after, seat)


def _fills_the_board(seen: Observation, after: tuple[int, ...]) -> bool:
    """Whether nobody could choose a region any more (R20); where held ones may be fought for, somebody always
    can."""
    if seen.options.is_1995 or seen.options.captures_regions:
        return False
    return not ALL_REGIONS & ~_all_of(after) & ~_mask(seen.pope)


def _leads(seen: Observation, after: tuple[int, ...], seat: int) -> bool:
    """Whether most regions wins for this seat; a tie is fought out (R20), but in Playing for Points (R27)."""
    leaders = with_most_regions(after)
    return seat in leaders and (len(leaders) == 1 or seen.options.plays_for_points)


def _all_of(holdings: tuple[int, ...]) -> int:
    taken = 0
    for holding in holdings:
        taken |= holding
    return taken


def _mask(region: str | None) -> int:
    return 0 if region is None else 1 << REGION_NUMBER[region]
