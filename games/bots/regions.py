"""What a region is worth to a seat: how much nearer it brings him to winning the game (R15).

A set of regions is a bit mask, bit n standing for REGIONS[n].
"""

from collections.abc import Iterator
from functools import lru_cache

from games.rules import REGIONS, Observation, neighbours

_NUMBER = {region: number for number, region in enumerate(REGIONS)}
_NEAR = tuple(sum(1 << _NUMBER[near] for near in neighbours(region)) for region in REGIONS)

WON = 100.0
# What it is worth to be so many conquests away from winning.
_NEARNESS = (WON, 36.0, 17.0, 8.0, 4.0, 2.0, 1.0)
# The nearer of the two ways to win counts whole, the other as a second string.
_SECOND_WAY = 0.25
# Each region brings a card in every deal (R19), and stays with whoever needs it last (R20).
_ANY_REGION = 5.0


def holding(seen: Observation, seat: int) -> int:
    """The regions a seat controls."""
    return sum([1 << _NUMBER[region] for region, owner in seen.control if owner == seat])


def worth(seen: Observation, seat: int, region: str) -> float:
    """What conquering this region would bring a seat, in points; WON and more if it wins the game."""
    held = holding(seen, seat)
    free = ((1 << len(REGIONS)) - 1) & ~sum([1 << _NUMBER[taken] for taken, _ in seen.control])
    gained = 1 << _NUMBER[region]
    goals = seen.goal_connected, seen.goal_total
    return _ANY_REGION + _standing(held | gained, free & ~gained, *goals) - _standing(held, free, *goals)


@lru_cache(maxsize=1 << 14)
def _standing(held: int, free: int, connected: int, total: int) -> float:
    """How good it is to hold these regions while those are free."""
    ways = sorted([_steps_to_group(held, free, connected), max(0, total - held.bit_count())])
    if ways[0] == 0:
        return WON
    first, second = [_NEARNESS[min(steps, len(_NEARNESS) - 1)] for steps in ways]
    return first + _SECOND_WAY * second


def _steps_to_group(held: int, free: int, goal: int) -> int:
    """How many conquests a connected group of this size needs: exact up to two, beyond that at the least."""
    missing = goal - _group(held)
    if missing <= 0:
        return 0
    for steps in (1, 2):
        if held.bit_count() + steps >= goal and _reached(held, free, goal, steps):
            return steps
    return max(missing, 3)


def _reached(held: int, free: int, goal: int, steps: int) -> bool:
    """Whether so many conquests can do it, each beside what is held by then."""
    return any(
        _group(held | one) >= goal or (steps > 1 and _reached(held | one, free & ~one, goal, steps - 1))
        for one in _each(free & _around(held))
    )


@lru_cache(maxsize=1 << 14)
def _around(held: int) -> int:
    """These regions and all that border on them."""
    around = held
    for one in _each(held):
        around |= _NEAR[one.bit_length() - 1]
    return around


def _each(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest
        mask ^= lowest


@lru_cache(maxsize=1 << 15)
def _group(held: int) -> int:
    """The size of the largest connected group."""
    largest = 0
    while held:
        group, edge = 0, held & -held
        while edge:
            group |= edge
            edge = _around(edge) & held & ~group
        largest = max(largest, group.bit_count())
        held &= ~group
    return largest
