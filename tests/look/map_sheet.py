"""The map's constant shapes as one SVG file, static/look/map.svg, which pages use part by part.

A page's board says `<use href="map.svg#roma">`. The browser caches the file, and a page carries only the
marks of its game. Colours are custom properties of the page (look/board.css) and inherited paints, so one
file serves both themes and print. It has no paint servers, clips or scripts: not every browser follows those
from a file that is used. `python -m tests.look.map_sheet` prints it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from math import cos, pi, sin

from games.map.places import GRID, TOKEN, Point
from games.rules import REGIONS, region_name
from tests.look.map_geometry import Line, MapGeometry, is_outer, map_geometry, svg_path, thinned
from tests.look.map_terrain import CAPITALS, CITY, LAKES, RIVERS, TOWER, hills, inset
from tests.look.seat_marks import SEAT_MARKS

TOLERANCE = 1.2
FAR_TOLERANCE = 2.6
EDGE_TOLERANCE = 2
EDGE = 11
"""How broad the hand-coloured edge inside each region is, in the geometry's units."""
ROSE = (190, 1540)

FAR_NAMES = (
    (1690, 1000, 49, "Mare Adriaticum"),
    (930, 1650, 0, "Mare Tyrrhenum"),
    (390, 1060, 0, "Mare"),
    (390, 1112, 0, "Ligusticum"),
    (1740, 240, 0, "Illyricum"),
    (250, 120, 0, "Helvetia"),
    (514, 1440, 83, "Corsica"),
    (512, 1836, 0, "Sardinia"),
)

SWORDS = "M-19-19 13 13M19-19-13 13M-5 16l-11-11M5 16 16 5M-13 13l-6 6M13 13l6 6"
MITRE = "M-15 18-19-5-9-16 0-25 9-16 19-5 15 18zM0-17V18M-17 6H17"
HILLS = (
    "c4-9 9-18 16-18s11 10 17 18m-13-13 4 12",
    "c5-12 10-23 18-23s13 13 21 23m-16-18 8 16",
    "c6-14 12-27 20-27s16 15 25 27m-20-22 5 16m1-12 7 13",
)
LILY = "M0-148c-14 6-16-14-8-20 4 2 6 6 8 6-4-8-4-16 0-22 4 6 4 14 0 22 2 0 4-4 8-6 8 6 6 26-8 20z"
SHIP = (
    "M-62 18c12 6 20 8 32 8h62c14 0 24-10 30-26l-18 2-4 8H-30l-4-12h-30zM-6-84v92M36-52v60M-40-30v32"
    "M-34-70c16 6 40 6 54 0 8 20 8 42 0 58-16-6-40-6-54 0 10-18 10-38 0-58z"
    "M24-46c10 4 18 4 28 0 5 12 5 24 0 34-8-4-18-4-28 0z"
    "M-6-84c10-8 18 4 28-4-10 12-18 2-28 12"
)


@cache
def sheet() -> str:
    """Return the whole file."""
    full = map_geometry()
    fine, far = full.simplified(TOLERANCE), full.simplified(FAR_TOLERANCE)
    parts = [
        *(_region(full, fine, region) for region in REGIONS),
        _chart(fine, far),
        _relief(),
        _lines(fine),
        _words(fine),
        *(_mark(seat) for seat in range(len(SEAT_MARKS))),
        _token("condottiere", SWORDS, disc="currentColor", rim="#fffaf0", fill="none", line="#fffaf0"),
        _token("pope", MITRE, disc="#fffaf0", rim="#972d35", fill="#f7e6bb", line="#85560a"),
        _laurel(),
    ]
    size = f"0 0 {fine.width * GRID} {fine.height * GRID}"
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}">\n' + "\n".join(parts) + "\n</svg>\n"


def _region(full: MapGeometry, fine: MapGeometry, region: str) -> str:
    """Return a region and its edge, which runs inside so that neighbours' colours meet."""
    edge = thinned(_round(inset(full.outline(region), EDGE / 2)), EDGE_TOLERANCE)
    return (
        f'<g id="{region}"><path d="{_closed(fine.outline(region))}"/>'
        f'<path d="{_closed(edge[:-1])}" fill="none" stroke="currentColor" stroke-width="{EDGE * GRID}"'
        ' stroke-linejoin="round"/></g>'
    )


def _chart(fine: MapGeometry, far: MapGeometry) -> str:
    """Return the sea with chart lines, water lines along the coasts, and the lands outside the game."""
    coast = _open(line for name, line in fine.arcs.items() if is_outer(name))
    lands = "".join(_closed(shape) for shapes in far.background.values() for shape in shapes)
    return (
        '<g id="chart"><path fill="var(--sea)" d="M0 0h2000v1906H0z"/>'
        f"{_winds()}{_water()}"
        f'<path id="lands" d="{lands}" fill="var(--far-land)" stroke="var(--border)" stroke-width="3"/>'
        f'<path id="coast" d="{coast}" fill="none" stroke-linejoin="round"/>'
        f'{_rose()}<g display="var(--decor)">{_far_words()}{_ships()}{_cartouche()}</g>{_frame()}</g>'
    )


def _water() -> str:
    """Return lines that follow the shore, ever fainter: broad strokes, each almost covered by the next."""
    both = '<use href="#lands"/><use href="#coast"/></g>'
    rings = "".join(
        f'<g stroke="var(--sea-line)" stroke-opacity="{strength}" stroke-width="{width + 3}">{both}'
        f'<g stroke="var(--sea)" stroke-width="{width}">{both}'
        for width, strength in ((74, 0.3), (52, 0.45), (32, 0.65), (15, 0.9))
    )
    return f'<g fill="none" stroke-linejoin="round">{rings}</g>'


def _winds() -> str:
    """Return the thirty-two winds from the rose, as on a sea chart of the time."""
    x, y = ROSE
    ends = [(round(2400 * cos(pi * i / 16)), round(2400 * sin(pi * i / 16))) for i in range(16)]
    rays = "".join(f"M{x - a} {y - b}l{2 * a} {2 * b}" for a, b in ends)
    return f'<path d="{rays}" fill="none" stroke="var(--sea-line)" stroke-width="2" stroke-opacity=".5"/>'


def _rose() -> str:
    """Return the compass rose: sixteen points, each half dark and half light, the great ones on top."""
    rays = ""
    for first, step, length, waist in ((1, 2, 66, 26), (2, 4, 98, 28), (0, 4, 138, 30)):
        half, other = "", ""
        for i in range(first, 16, step):
            half += f"M0 0L{_polar(i - 1, waist)} {_polar(i, length)}z"
            other += f"M0 0L{_polar(i + 1, waist)} {_polar(i, length)}z"
        rays += f'<path d="{half}" fill="var(--halo)"/><path d="{other}" fill="var(--coast)"/>'
    return (
        f'<g transform="translate({ROSE[0]} {ROSE[1]})" stroke="var(--coast)" stroke-width="2"'
        ' stroke-linejoin="round"><circle r="80" fill="none"/><circle r="88" fill="none"/>'
        f'{rays}<path d="{LILY}" fill="var(--coast)"/></g>'
    )


def _polar(sixteenth: float, radius: float) -> str:
    angle = pi * sixteenth / 8
    return f"{round(radius * sin(angle))} {round(-radius * cos(angle))}"


def _far_words() -> str:
    """Return the names of seas and of lands outside the game, in the Latin of maps of the time."""
    texts = "".join(
        f'<text transform="translate({x} {y})rotate({turn})">{name.upper()}</text>'
        for x, y, turn, name in FAR_NAMES
    )
    return (
        '<g fill="var(--coast)" fill-opacity=".85" font-size="40" letter-spacing="9" text-anchor="middle">'
        f"{texts}</g>"
    )


def _ships() -> str:
    ink = 'fill="var(--halo)" stroke="var(--coast)" stroke-width="4" stroke-linejoin="round"'
    return (
        f'<path transform="translate(760 1540)" d="{SHIP}" {ink}/>'
        f'<path transform="translate(1840 1330)scale(-.8 .8)" d="{SHIP}" {ink}/>'
    )


def _cartouche() -> str:
    frame = "M-300-80h600l20 20v120l-20 20h-600l-20-20v-120z"
    inner = "M-290-66h580l14 14v104l-14 14h-580l-14-14v-104z"
    return (
        '<g transform="translate(1010 1780)" stroke="var(--coast)">'
        f'<path d="{frame}" fill="var(--halo)" stroke-width="5"/>'
        f'<path d="{inner}" fill="none" stroke-width="2"/>'
        '<text x="17" y="36" stroke="none" fill="var(--map-ink)" font-size="108" letter-spacing="34"'
        ' text-anchor="middle">ITALIA</text></g>'
    )


def _frame() -> str:
    """Return a measured edge, as on sheets of the time; its steps measure nothing here."""
    edge = "M10 10h1980v1886H10z"
    return (
        '<g fill="none" stroke="var(--border)" stroke-width="14">'
        f'<path d="{edge}" stroke="var(--halo)"/><path d="{edge}" stroke-dasharray="60"/>'
        '<path d="M2 2h1996v1902H2zM19 19h1962v1868H19z" stroke-width="3"/></g>'
    )


def _relief() -> str:
    """Return rivers and lakes, and hills in rows, shaded from the east."""
    rivers = "".join(_winding(river) for river in RIVERS)
    lakes = "".join(_winding((*lake, lake[0])) for lake in LAKES)
    mounds = "".join(
        f"M{hill.x * GRID - (16, 19, 22)[hill.size]} {hill.y * GRID}{HILLS[hill.size]}" for hill in hills()
    )
    return (
        '<g id="relief" fill="none" stroke-linejoin="round" stroke-linecap="round">'
        f'<path d="{rivers}" stroke="var(--river)" stroke-width="5"/>'
        f'<path d="{lakes}" stroke="var(--river)" stroke-width="3" fill="var(--sea)"/>'
        f'<path d="{mounds}" stroke="var(--hill)" stroke-width="3"/></g>'
    )


def _winding(line: Line) -> str:
    """Return a smooth line: each point attracts it, and it passes through the midpoints."""
    points = [_scaled(point) for point in line]
    x, y = points[0]
    path = f"M{x} {y}q"
    for (ax, ay), (bx, by) in pairwise(points[1:]):
        mx, my = round((ax + bx) / 2), round((ay + by) / 2)
        path += f"{ax - x} {ay - y} {mx - x} {my - y} "
        x, y = mx, my
    (ax, ay), (bx, by) = points[-2:]
    return f"{path}{bx - x} {by - y} {bx - x} {by - y}"


def _lines(geometry: MapGeometry) -> str:
    """Return every inner border once, in one dotted path, and the outer edge."""
    borders = _open(geometry.inner_arcs().values())
    return (
        '<g id="lines" fill="none" stroke-linejoin="round" stroke-linecap="round">'
        f'<path id="borders" d="{borders}" stroke="var(--border)" stroke-width="5" stroke-dasharray="1 10"/>'
        '<use href="#coast" stroke="var(--coast)" stroke-width="5"/></g>'
    )


def _words(geometry: MapGeometry) -> str:
    """Return a tower for each city, a church for the five great ones, and the names."""
    towers = "".join(
        _closed([(place.city[0] + x, place.city[1] + y) for x, y in (CITY if region in CAPITALS else TOWER)])
        for region, place in geometry.places.items()
    )
    names = "".join(
        f'<text x="{x}" y="{y}" dy=".32em">{region_name(region)}</text>'
        for region, place in geometry.places.items()
        for x, y in [_scaled(place.label)]
    )
    return (
        f'<path id="cities" d="{towers}" fill="var(--halo)" stroke="var(--map-ink)" stroke-width="4"'
        ' stroke-linejoin="round"/>'
        f'<g id="names" text-anchor="middle">{names}</g>'
    )


def _mark(seat: int) -> str:
    mark = SEAT_MARKS[seat]
    outline = _closed([(x * TOKEN / GRID, y * TOKEN / GRID) for x, y in mark.outline])
    return (
        f'<g id="mark-{mark.letter}"><path d="{outline}" fill="var(--seat-{seat})"/>'
        f'<text dy=".35em" fill="var(--seat-{seat}-ink)" stroke="none">{mark.letter}</text></g>'
    )


def _token(name: str, figure: str, disc: str, rim: str, fill: str, line: str) -> str:
    return (
        f'<g id="{name}"><circle r="{TOKEN + 2}" fill="{disc}" stroke="{rim}" stroke-width="6"/>'
        f'<path d="{figure}" fill="{fill}" stroke="{line}"/></g>'
    )


def _laurel() -> str:
    """Return half a wreath, for either side of the letters of the possible winners."""
    return f'<path id="laurel" d="{"".join(_leaf(8.3 + 1.4 * i) for i in range(5))}"/>'


def _leaf(i: float) -> str:
    """Return a leaf that grows outwards from an arc, at `i` sixteenths of the circle."""
    foot = _polar(i, 29)
    return f"M{foot}Q{_polar(i + 0.1, 50)} {_polar(i + 1.9, 46)}Q{_polar(i + 1.5, 30)} {foot}"


def _round(ring: Line) -> Line:
    return (*ring, ring[0])


def _closed(ring: Iterable[Point]) -> str:
    return svg_path(tuple(ring), grid=GRID, is_closed=True)


def _open(lines: Iterable[Line]) -> str:
    return "".join(svg_path(line, grid=GRID, is_closed=False) for line in lines)


def _scaled(point: Point) -> tuple[int, int]:
    return (round(point[0] * GRID), round(point[1] * GRID))


if __name__ == "__main__":
    sys.stdout.write(sheet())
