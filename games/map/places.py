"""Where marks go on the drawn map, read once from rules/map-geometry.json. Knows no game and draws nothing.

The map's shapes are one file, look/map.svg. `python -m tests.look.map_sheet` prints it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from games.rules import REGIONS

Point = tuple[float, float]

GRID = 2
"""Units of the drawing to one of the geometry: half a unit is finer than any screen shows the board."""
TOKEN = 17 * GRID

PRIZE_PLACES: dict[str, Point] = {
    "torino": (86, 220), "milano": (225, 265), "venezia": (531, 147), "genova": (134, 414),
    "mantova": (508, 262), "ferrara": (624, 292), "parma": (273, 386), "modena": (411, 323),
    "bologna": (594, 453), "lucca": (352, 508), "firenze": (540, 604), "siena": (486, 699),
    "urbino": (696, 488), "spoleto": (620, 601), "ancona": (728, 626), "roma": (559, 700),
    "napoli": (762, 787),
}  # fmt: skip
"""Where each region has room for one more mark next to its marker, its city and its name."""


@dataclass(frozen=True)
class Place:
    """The centres of a region's city dot and control marker."""

    city: Point
    marker: Point


@dataclass(frozen=True)
class MapPlaces:
    """The size of the board in its own units, y down, and its regions' places."""

    width: int
    height: int
    places: Mapping[str, Place]


@cache
def map_places() -> MapPlaces:
    """Return the places from the file next to the rules."""
    raw = json.loads(files("games.rules").joinpath("map-geometry.json").read_text(encoding="utf-8"))
    _, _, width, height = raw["viewBox"]
    shapes = {region: raw["regions"][region] for region in REGIONS}
    places = {name: Place(tuple(shape["city"]), tuple(shape["marker"])) for name, shape in shapes.items()}
    return MapPlaces(width, height, places)
