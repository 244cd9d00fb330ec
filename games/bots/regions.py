"""The worth of a region to a seat: how much nearer it brings the seat to winning the game (R15).

A set of regions is a bit mask, where bit n means REGIONS[n].
"""

from collections.abc import Iterator
from functools import lru_cache

from games.rules import REGIONS, Observation, Options, neighbours

_NUMBER = {region: number for number, region in enumerate(REGIONS)}
_NEAR = tuple(sum(1 << _NUMBER[near] for near in neighbours(region)) for region in REGIONS)

WON = 100.0
# The worth of being this many regions away from winning (the index).
_NEARNESS = (WON, 36.0, 17.0, 8.0, 4.0, 2.0, 1.0)
# The nearer of the two ways to win counts in full, the other with this factor.
_SECOND_WAY = 0.25
# Each region brings a card in every deal (R19), and counts when most regions wins (R20).
_ANY_REGION = 5.0
# In Playing for Points only a win by the connected group scores more than its regions (R27).
_NUMBER_FOR_POINTS = 0.6


def holding(seen: Observation, seat: int) -> int:
    """Return the regions a seat holds."""
    return sum([1 << _NUMBER[region] for region, owner in seen.control if owner == seat])


def worths(seen: Observation, region: str) -> tuple[float, ...]:
    """Return what it is worth to each seat to have this region rather than not, in points.

    It is WON or more if the region wins the game.
    """
    return tuple([_worth(seen, seat, region) for seat in range(seen.players)])


def _worth(seen: Observation, seat: int, region: str) -> float:
    one, held, free = 1 << _NUMBER[region], holding(seen, seat), _obtainable(seen, seat)
    goals = seen.goal_connected, seen.goal_total, share_of_number(seen.options)
    with_it, without = standing(held | one, free & ~one, *goals), standing(held & ~one, free | one, *goals)
    return _ANY_REGION + with_it - without


def _obtainable(seen: Observation, seat: int) -> int:
    """Return the regions a seat may still take: free ones, and those of others where allowed (R32, R41)."""
    takes = seen.options.captures_regions or seen.options.is_1995
    closed = [_NUMBER[taken] for taken, owner in seen.control if owner == seat or not takes]
    return ((1 << len(REGIONS)) - 1) & ~sum([1 << number for number in closed])


def share_of_number(options: Options) -> float:
    """Return how much winning by the number of regions counts of winning by a connected group."""
    return _NUMBER_FOR_POINTS if options.plays_for_points else 1.0


def brought(seen: Observation, region: str, worth: tuple[float, ...], denial: float) -> tuple[float, ...]:
    """Return per winner what their victory there brings the observing seat.

    Its own gain and loss count in full, those of others with the factor `denial` and the opposite sign. A
    defender who wins changes nothing.
    """
    owner = dict(seen.control).get(region)
    mine = [value if seat == seen.seat else -denial * value for seat, value in enumerate(worth)]
    lost = 0.0 if owner is None else mine[owner]
    return tuple([value - lost for value in mine])


@lru_cache(maxsize=1 << 14)
def standing(held: int, free: int, connected: int, total: int | None, share: float) -> float:
    """Return how good it is to hold these regions while those are free.

    Victory by total counts `share` of victory by a connected group.
    """
    to_group = steps_to_group(held, free, connected)
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


@lru_cache(maxsize=1 << 15)
def steps_to_group(held: int, free: int, goal: int) -> int:
    """Return how many more regions a connected group of size `goal` needs.

    The number is exact up to two; beyond that it is a lower bound.
    """
    missing = goal - largest_group(held)
    if missing <= 0:
        return 0
    for steps in (1, 2):
        if held.bit_count() + steps >= goal and _can_join(held, free, goal, steps):
            return steps
    return max(missing, 3)


def _can_join(held: int, free: int, goal: int, steps: int) -> bool:
    """Return whether `steps` more regions can be enough, each next to those held by then."""
    return any(
        largest_group(held | one) >= goal
        or (steps > 1 and _can_join(held | one, free & ~one, goal, steps - 1))
        for one in each_of(free & _around(held))
    )


@lru_cache(maxsize=1 << 14)
def _around(held: int) -> int:
    """Return these regions and all that border on them."""
    around = held
    for one in each_of(held):
        around |= _NEAR[one.bit_length() - 1]
    return around


def each_of(mask: int) -> Iterator[int]:
    """Yield each region of a set as a set of its own."""
    while mask:
        lowest = mask & -mask
        yield lowest
        mask ^= lowest


@lru_cache(maxsize=1 << 15)
def largest_group(held: int) -> int:
    """Return the size of the largest connected group of these regions."""
    largest = 0
    while held:
        group, edge = 0, held & -held
        while edge:
            group |= edge
            edge = _around(edge) & held & ~group
        largest = max(largest, group.bit_count())
        held &= ~group
    return largest
