"""The map: 17 regions, their names and their borders, read once from the two JSON files in this folder.

A set of regions is a bit mask, where bit n means REGIONS[n]. The map is the same in all editions.
"""

import json
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent


def _load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((_HERE / name).read_text(encoding="utf-8"))
    return loaded


def _shared_arcs(rings: dict[str, Any]) -> frozenset[tuple[str, str]]:
    """Return the pairs of regions with a common border: both their rings name the same arc of the drawing."""
    arcs = {region: {arc.removeprefix("-") for arc in shape["ring"]} for region, shape in rings.items()}
    pairs = combinations(sorted(arcs), 2)
    return frozenset((one, other) for one, other in pairs if arcs[one] & arcs[other])


_NAMES: dict[str, str] = {region["id"]: region["name"] for region in _load("map-2007.json")["regions"]}

REGIONS: tuple[str, ...] = tuple(_NAMES)
REGION_NUMBER: dict[str, int] = {region: number for number, region in enumerate(REGIONS)}
BORDERS: frozenset[tuple[str, str]] = _shared_arcs(_load("map-geometry.json")["regions"])
ALL_REGIONS: int = (1 << len(REGIONS)) - 1


def region_name(region: str) -> str:
    """Return the proper name of a region, the same in every language. Raises KeyError for an unknown id."""
    return _NAMES[region]


@cache
def neighbours(region: str) -> tuple[str, ...]:
    """Return the regions that share a border with this one, sorted. Raises KeyError for an unknown id."""
    if region not in _NAMES:
        raise KeyError(region)
    return tuple(sorted({a if b == region else b for a, b in BORDERS if region in (a, b)}))


_NEIGHBOURS: tuple[int, ...] = tuple(
    sum(1 << REGION_NUMBER[near] for near in neighbours(region)) for region in REGIONS
)


def regions_in(mask: int) -> tuple[int, ...]:
    """Return the numbers of the regions in a bit mask, ascending."""
    return tuple([number for number in range(len(REGIONS)) if mask >> number & 1])


def _group_around(region: int, mask: int) -> int:
    """Return the part of the mask that is connected to this region within the mask."""
    group, edge = 0, 1 << region
    while edge:
        group |= edge
        reached = 0
        for near in regions_in(edge):
            reached |= _NEIGHBOURS[near]
        edge = reached & mask & ~group
    return group


@cache
def largest_group(mask: int) -> int:
    """Return the size of the largest connected group of regions in this mask (R15); 0 for none."""
    largest = 0
    while mask:
        group = _group_around(mask.bit_length() - 1, mask)
        largest = max(largest, group.bit_count())
        mask &= ~group
    return largest
