"""A mapmaker's details for the board: hills, rivers, lakes, and the edge inside each region.

Numbers are in the geometry's units, the same on every run. Draws nothing; no hill covers a name, a marker or
a border.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import hypot

from games.map.places import Point
from games.rules import region_name
from tests.look.map_geometry import Line, MapGeometry, Place, map_geometry

RIVERS: tuple[Line, ...] = (
    # Po
    ((49, 352), (72, 341), (95, 346), (128, 340), (146, 322), (168, 303), (196, 296), (222, 300),
     (250, 299), (278, 293), (306, 299), (338, 297), (366, 301), (398, 301), (420, 304), (452, 304),
     (476, 312), (500, 300), (522, 288), (548, 277), (574, 274), (604, 284), (626, 297), (653, 297)),
    # Arno
    ((545, 478), (520, 487), (492, 489), (470, 500), (463, 518), (450, 532), (436, 550), (412, 558),
     (384, 560), (357, 567)),
    # Tiber
    ((566, 592), (560, 618), (566, 640), (556, 664), (560, 688), (550, 712), (554, 738), (562, 757),
     (572, 776), (594, 782), (601, 793)),
)  # fmt: skip
LAKES: tuple[Line, ...] = (
    ((448, 146), (454, 150), (452, 168), (456, 184), (450, 190), (443, 184), (444, 166)),
    ((222, 184), (226, 176), (232, 178), (229, 190), (233, 200), (227, 203)),
    ((292, 146), (298, 140), (301, 150), (298, 162), (304, 172), (299, 176), (293, 164)),
)
APENNINES: Line = (
    (112, 452), (128, 425), (146, 404), (180, 404), (232, 370), (262, 378), (286, 408), (316, 428),
    (352, 440), (390, 442), (440, 448), (490, 450), (540, 478), (582, 512), (610, 560), (650, 590),
    (690, 616), (706, 656), (724, 700), (748, 736), (790, 762), (846, 780), (880, 830), (876, 884),
    (872, 940),
)  # fmt: skip
SPURS: tuple[Line, ...] = (((660, 712), (704, 770), (720, 800)), ((690, 640), (684, 700)))

CAPITALS = ("milano", "venezia", "firenze", "roma", "napoli")
TOWER: Line = (
    (-7, 6), (-7, -7.5), (-4.5, -7.5), (-4.5, -5), (-2, -5), (-2, -7.5), (2, -7.5), (2, -5), (4.5, -5),
    (4.5, -7.5), (7, -7.5), (7, 6),
)  # fmt: skip
CITY: Line = (
    (-11.5, 6.5), (-11.5, -4.5), (-5.5, -4.5), (-5.5, -11.5), (-1, -18), (3.5, -11.5), (3.5, -4.5),
    (11.5, -4.5), (11.5, 6.5),
)  # fmt: skip
"""The signs of a city, and of the five that were states: a tower, and a church."""

ACROSS = 31
DOWN = 21
HILL = (11, 12)
"""Half the width and the height of the largest hill."""


@dataclass(frozen=True)
class Hill:
    """A molehill, as on maps of the time: the middle of its foot, and a size of 0 to 2."""

    x: int
    y: int
    size: int


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    half_width: float
    half_height: float

    def meets(self, other: _Box) -> bool:
        return (
            abs(self.x - other.x) < self.half_width + other.half_width
            and abs(self.y - other.y) < self.half_height + other.half_height
        )


@cache
def hills() -> tuple[Hill, ...]:
    """Return the Alps and the Apennines, from back to front."""
    geometry = map_geometry()
    alps = [line for name, line in geometry.arcs.items() if name.startswith("alps_")]
    south = [line for name, line in geometry.arcs.items() if name.startswith("south_")]
    ridges = [(alps, 38.0), ([APENNINES], 42.0), (SPURS, 24.0)]
    lines = [*geometry.arcs.values(), *RIVERS, *(_round(lake) for lake in LAKES)]
    boxes = [box for place in geometry.places.items() for box in _kept_free(*place)]
    lands = [*geometry.background["beyond_the_alps"], *geometry.background["south"]]
    rings = [geometry.outline(region) for region in geometry.places]
    found = []
    for hill in _candidates(geometry):
        middle = (hill.x, hill.y - HILL[1] / 2)
        box = _Box(*middle, HILL[0] + 1, HILL[1] / 2 + 1)
        if not any(_near(middle, group, reach) for group, reach in ridges):
            continue
        if any(box.meets(other) for other in boxes) or _near(middle, lines, 11):
            continue
        if any(holds(ring, middle) for ring in (*rings, *lands)) and not _near(middle, south, 8):
            found.append(hill)
    return tuple(found)


def _candidates(geometry: MapGeometry) -> Iterator[Hill]:
    """Yield places in staggered rows, each moved a little so that the rows look irregular."""
    for row in range(2, geometry.height // DOWN):
        for column in range(1, geometry.width // ACROSS):
            shake = (row * 7919 + column * 104729) % 1009
            yield Hill(
                column * ACROSS + (row % 2) * (ACROSS // 2) + shake % 5 - 2,
                row * DOWN + shake // 5 % 5 - 2,
                shake // 25 % 3,
            )


def _kept_free(region: str, place: Place) -> tuple[_Box, ...]:
    """Return the boxes of a region's name, marker and city, at the sizes of the smallest screen."""
    return (
        _Box(*place.label, len(region_name(region)) * 8.3 + 4, 19),
        _Box(*place.marker, 23, 23),
        _Box(place.city[0], place.city[1] - 4, 14, 16),
    )


def inset(ring: Line, depth: float) -> Line:
    """Return the line `depth` inside a clockwise ring; a shortcut where the ring is too narrow."""
    edges = tuple(pairwise((*ring, ring[0])))
    inner = []
    for (ax, ay), (bx, by) in edges:
        length = hypot(bx - ax, by - ay)
        for step in range(count := max(1, round(length / 3))):
            part = (step + 0.5) / count
            point = (
                ax + (bx - ax) * part - (by - ay) / length * depth,
                ay + (by - ay) * part + (bx - ax) / length * depth,
            )
            if all(_from_segment(point, *edge) > depth - 0.1 for edge in edges):
                inner.append(point)
    return tuple(inner)


def holds(ring: Sequence[Point], point: Point) -> bool:
    """Return whether a point is inside a ring."""
    x, y = point
    inside = False
    for (ax, ay), (bx, by) in pairwise((*ring, ring[0])):
        if (ay > y) != (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay):
            inside = not inside
    return inside


def _near(point: Point, lines: Iterable[Line], reach: float) -> bool:
    return any(
        _from_segment(point, start, end) < reach
        for line in lines
        if _is_round_about(point, line, reach)
        for start, end in pairwise(line)
    )


def _is_round_about(point: Point, line: Line, reach: float) -> bool:
    """Return whether a point is in the box around a line: a cheap test before measuring each piece."""
    left, top, right, bottom = _box(line)
    return left - reach < point[0] < right + reach and top - reach < point[1] < bottom + reach


@cache
def _box(line: Line) -> tuple[float, float, float, float]:
    xs, ys = zip(*line, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _from_segment(point: Point, start: Point, end: Point) -> float:
    """Return the distance of a point from the nearest point of a straight piece."""
    (px, py), (ax, ay), (bx, by) = point, start, end
    dx, dy = bx - ax, by - ay
    if not (square := dx * dx + dy * dy):
        return hypot(px - ax, py - ay)
    part = min(1.0, max(0.0, ((px - ax) * dx + (py - ay) * dy) / square))
    return hypot(px - ax - dx * part, py - ay - dy * part)


def _round(ring: Line) -> Line:
    return (*ring, ring[0])
