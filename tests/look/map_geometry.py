"""The shapes of the board: arcs, the rings of regions made of them, and label and marker positions.

Read once from rules/map-geometry.json. Knows no game and draws nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import hypot

from games.map.places import Point
from games.rules import REGIONS

Line = tuple[Point, ...]

SEA_SIDE = ("alps", "coast", "south")


@dataclass(frozen=True)
class Place:
    """The centres of a region's label, city dot and control marker."""

    label: Point
    city: Point
    marker: Point


@dataclass(frozen=True)
class MapGeometry:
    """The board in its own units, y down: `width` by `height`."""

    width: int
    height: int
    arcs: Mapping[str, Line]
    rings: Mapping[str, tuple[str, ...]]
    places: Mapping[str, Place]
    background: Mapping[str, tuple[Line, ...]]

    def inner_arcs(self) -> dict[str, Line]:
        """The arcs between two regions."""
        return {name: line for name, line in self.arcs.items() if not is_outer(name)}

    def outline(self, region: str) -> Line:
        """Return a region's ring without repeating its first point; neighbours share their points exactly."""
        points: list[Point] = []
        for name in self.rings[region]:
            arc = self.arcs[name.removeprefix("-")]
            points += (arc[::-1] if name.startswith("-") else arc)[:-1]
        return tuple(points)

    def borders(self) -> frozenset[tuple[str, str]]:
        """The pairs of regions whose rings share an arc, each sorted."""
        users: dict[str, list[str]] = {}
        for region, ring in self.rings.items():
            for name in ring:
                users.setdefault(name.removeprefix("-"), []).append(region)
        return frozenset((min(pair), max(pair)) for pair in users.values() if len(pair) == 2)

    def simplified(self, tolerance: float) -> MapGeometry:
        """Return the board with fewer points, none of them moved, no line off by more than `tolerance`.

        Arcs are thinned before rings are joined, so that neighbours still share every point.
        """
        return MapGeometry(
            self.width,
            self.height,
            {name: thinned(line, tolerance) for name, line in self.arcs.items()},
            self.rings,
            self.places,
            {
                name: tuple(thinned((*shape, shape[0]), tolerance)[:-1] for shape in shapes)
                for name, shapes in self.background.items()
            },
        )


def is_outer(arc: str) -> bool:
    """Return whether an arc is the edge of one region only: coast, Alps, or the land in the south."""
    return arc.split("_", maxsplit=1)[0] in SEA_SIDE


def thinned(line: Line, tolerance: float) -> Line:
    """Drop points within `tolerance` of the remaining line (Douglas-Peucker); the ends stay."""
    kept = {0, len(line) - 1}
    spans = [(0, len(line) - 1)]
    while spans:
        first, last = spans.pop()
        inside = range(first + 1, last)
        farthest = max(inside, key=lambda i: _distance(line[i], line[first], line[last]), default=None)
        if farthest is not None and _distance(line[farthest], line[first], line[last]) > tolerance:
            kept.add(farthest)
            spans += [(first, farthest), (farthest, last)]
    return tuple(line[i] for i in sorted(kept))


def _distance(point: Point, start: Point, end: Point) -> float:
    """Return the distance of a point from the line through two others, or from the one point they are."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = hypot(dx, dy)
    if not length:
        return hypot(point[0] - start[0], point[1] - start[1])
    return abs(dx * (start[1] - point[1]) - dy * (start[0] - point[0])) / length


def svg_path(line: Sequence[Point], *, grid: int, is_closed: bool) -> str:
    """Return a line as relative, compact SVG path data in whole units of 1/grid.

    Points are rounded before they are subtracted: no error adds up along the line.
    """
    whole = [(round(x * grid), round(y * grid)) for x, y in line]
    steps = [_number(b[0] - a[0]) + _number(b[1] - a[1]) for a, b in pairwise(whole) if a != b]
    body = "".join(steps).removeprefix(" ")
    return f"M{whole[0][0]} {whole[0][1]}l{body}{'z' if is_closed else ''}"


def _number(value: int) -> str:
    return str(value) if value < 0 else f" {value}"


@cache
def map_geometry() -> MapGeometry:
    """Return the board from the file next to the rules."""
    raw = json.loads(files("games.rules").joinpath("map-geometry.json").read_text(encoding="utf-8"))
    _, _, width, height = raw["viewBox"]
    regions = {region: raw["regions"][region] for region in REGIONS}
    return MapGeometry(
        width,
        height,
        {name: _line(points) for name, points in raw["arcs"].items()},
        {region: tuple(shape["ring"]) for region, shape in regions.items()},
        {
            region: Place(_point(shape["label"]), _point(shape["city"]), _point(shape["marker"]))
            for region, shape in regions.items()
        },
        {name: tuple(_line(shape) for shape in shapes) for name, shapes in raw["background"].items()},
    )


def _point(pair: Sequence[float]) -> Point:
    return (float(pair[0]), float(pair[1]))


def _line(points: Sequence[Sequence[float]]) -> Line:
    return tuple(_point(pair) for pair in points)
