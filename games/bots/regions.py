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
# In Playing for Points only the connected group scores more than its regions (R27).
_NUMBER_FOR_POINTS = 0.6


def holding(seen: Observation, seat: int) -> int:
    """The regions a seat controls."""
    return sum([1 << _NUMBER[region] for region, owner in seen.control if owner == seat])


def worths(seen: Observation, region: str) -> tuple[float, ...]:
    """What it is worth to each seat to have this region rather than not, in points; WON and more if it wins
    the game."""
    return tuple([_worth(seen, seat, region) for seat in range(seen.players)])


def _worth(seen: Observation, seat: int, region: str) -> float:
    one, held, free = 1 << _NUMBER[region], holding(seen, seat), _obtainable(seen, seat)
    goals = seen.goal_connected, seen.goal_total, _share_of_number(seen)
    with_it, without = _standing(held | one, free & ~one, *goals), _standing(held & ~one, free | one, *goals)
    return _ANY_REGION + with_it - without


def _obtainable(seen: Observation, seat: int) -> int:
    """Regions a seat may yet conquer: free ones, and those of others where they can be taken (R32, R41)."""
    takes = seen.options.captures_regions or seen.options.is_1995
    closed = [_NUMBER[taken] for taken, owner in seen.control if owner == seat or not takes]
    return ((1 << len(REGIONS)) - 1) & ~sum([1 << number for number in closed])


def _share_of_number(seen: Observation) -> float:
    return _NUMBER_FOR_POINTS if seen.options.plays_for_points else 1.0


def brought(seen: Observation, region: str, worth: tuple[float, ...], denial: float) -> tuple[float, ...]:
    """Per winner what his victory there brings the seat that looks on: its own gain and loss whole, and so
    much of what others lose or gain. A defender who wins changes nothing."""
    owner = dict(seen.control).get(region)
    mine = [value if seat == seen.seat else -denial * value for seat, value in enumerate(worth)]
    lost = 0.0 if owner is None else mine[owner]
    return tuple([value - lost for value in mine])


@lru_cache(maxsize=1 << 14)
def _standing(held: int, free: int, connected: int, total: int | None, share: float) -> float:
    """How good it is to hold these regions while those are free; victory by number is worth a share of that
    by a connected group."""
    to_group = _steps_to_group(held, free, connected)
    if to_group == 0:
        return WON
    by_group = _nearness(to_group)
    if total is None:
        return by_group
    to_total = max(0, total - held.bit_count())
    by_number = share * _nearness(to_total)
    if to_total == 0:
        return by_number
    return max(by_group, by_number) + _SECOND_WAY * min(by_group, by_number)


def _nearness(steps: int) -> float:
    return _NEARNESS[min(steps, len(_NEARNESS) - 1)]


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
