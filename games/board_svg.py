"""Draws the board as an SVG fragment for a page: shapes made once, and the marks of one game on top.

Colours and sizes are the style sheet's (look/board.css): nothing here writes a style attribute.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from games.board_view import BoardView, board_words, region_words
from games.heraldry import SEAT_MARKS
from games.map_geometry import Line, MapGeometry, Point, is_outer, map_geometry, svg_path
from games.rules import REGIONS, region_name

GRID = 2
"""Units of the drawing to one of the geometry: half a unit is finer than any screen shows the board."""
TOLERANCE = 0.7
BACKGROUND_TOLERANCE = 1.5
TOKEN = 17 * GRID

SWORDS = "M-19-19 13 13M19-19-13 13M-5 16l-11-11M5 16 16 5M-13 13l-6 6M13 13l6 6"
MITRE = "M-15 18-19-5-9-16 0-25 9-16 19-5 15 18zM0-17V18M-17 6H17"
ROSE = "M0-90l11 63 29-13-13 29 63 11-63 11 13 29-29-13-11 63-11-63-29 13 13-29-63-11 63-11-13-29 29 13z"
WINDS = ((1, 0), (2, 1), (1, 1), (1, 2), (0, 1), (-1, 2), (-1, 1), (-2, 1))
HATCH = (
    '<pattern id="map-hatch" width="16" height="16" patternUnits="userSpaceOnUse">'
    '<path d="M0 16 16 0"/></pattern>'
)


@dataclass(frozen=True)
class Board:
    """The unchanging part of the picture, ready to be put around the marks of a game."""

    view_box: str
    ground: str
    regions: Mapping[str, str]
    lines: str
    words: str
    marks: Mapping[str, Point]
    cities: Mapping[str, Point]

    def draw(self, view: BoardView) -> SafeString:
        """One `<svg>` for a page. It may stand in a page once, as its parts are named by id."""
        vacant = [region for region in REGIONS if region in view.links and region not in view.control]
        role = "group" if view.links else "img"
        named = 'aria-labelledby="map-title map-words"'
        parts = [
            f'<svg class="board" viewBox="{self.view_box}" role="{role}" {named}>',
            format_html('<title id="map-title">{}</title>', _("Map of the regions")),
            format_html('<desc id="map-words">{}</desc>', board_words(view)),
            self.ground,
            *(self._region(view, region) for region in REGIONS),
            *self._emphasis(view),
            self.lines,
            *self._rims(view),
            self.words,
            *(
                f'<circle class="vacancy" {_centre(self.marks[region])} r="{TOKEN - 6}"/>'
                for region in vacant
            ),
            *(self._control_mark(region, seat) for region, seat in sorted(view.control.items())),
            self._token("pope", MITRE, view.pope, view.control),
            self._token("condottiere", SWORDS, view.battle, view.control),
            "</svg>",
        ]
        return mark_safe("".join(parts))  # noqa: S308 (names pass through format_html, the rest is ours)

    def _region(self, view: BoardView, region: str) -> str:
        seat = view.control.get(region)
        classes = "region" if seat is None else f"region held seat-{seat}"
        title = format_html("<title>{}</title>", region_words(view, region))
        shape = f'<path id="map-{region}" d="{self.regions[region]}"/>'
        if region in view.links:
            opening = format_html('<a class="{} open" href="{}">', classes, view.links[region])
            return f"{opening}{title}{shape}</a>"
        return f'<g class="{classes}">{title}{shape}</g>'

    def _emphasis(self, view: BoardView) -> Iterable[str]:
        """The hatching that closes the Pope's region."""
        if view.pope:
            yield f'<use href="#map-{view.pope}" fill="url(#map-hatch)" class="closed"/>'

    def _rims(self, view: BoardView) -> Iterable[str]:
        """A rim for the region fought for and the one chosen."""
        for kind, region in (("contested", view.battle), ("selected", view.selected)):
            if region:
                yield f'<use href="#map-{region}" class="rim {kind}"/>'

    def _control_mark(self, region: str, seat: int) -> str:
        mark = SEAT_MARKS[seat]
        outline = _closed([(x * TOKEN / GRID, y * TOKEN / GRID) for x, y in mark.outline])
        inside = f'<path d="{outline}"/><text>{mark.letter}</text>'
        return f'<g class="mark seat-{seat}" {_moved(self.marks[region])}>{inside}</g>'

    def _token(self, kind: str, figure: str, region: str | None, control: Mapping[str, int]) -> str:
        """A token stands where a control marker would, or on the city of a region that has one."""
        if region is None:
            return ""
        where = self.cities[region] if region in control else self.marks[region]
        inside = f'<circle r="{TOKEN + 2}"/><path d="{figure}"/>'
        return f'<g class="token {kind}" {_moved(where)}>{inside}</g>'


@cache
def board() -> Board:
    """The board of both editions, made once for each process."""
    full = map_geometry()
    fine = full.simplified(TOLERANCE)
    return Board(
        view_box=f"0 0 {fine.width * GRID} {fine.height * GRID}",
        ground=_ground(full.simplified(BACKGROUND_TOLERANCE), fine),
        regions={region: _closed(fine.outline(region)) for region in REGIONS},
        lines=_lines(fine),
        words="".join(_label(fine, region) for region in REGIONS),
        marks={region: _scaled(place.marker) for region, place in fine.places.items()},
        cities={region: _scaled(place.city) for region, place in fine.places.items()},
    )


def draw(view: BoardView) -> SafeString:
    """The board with the marks of one game, as one `<svg>`."""
    return board().draw(view)


def _ground(coarse: MapGeometry, fine: MapGeometry) -> str:
    """Sea with the lines of a sea chart, ripples along the coast, and the lands outside the game."""
    coast = _open(line for name, line in fine.arcs.items() if is_outer(name))
    lands = "".join(_closed(shape) for shapes in coarse.background.values() for shape in shapes)
    ripples = "".join(
        f'<use href="#map-{part}" class="ripple-{step}"/>'
        for step in (3, 2, 1)
        for part in ("coast", "lands")
    )
    return (
        f'<defs>{HATCH}<path id="map-coast" d="{coast}"/><path id="map-lands" d="{lands}"/></defs>'
        f'<rect class="sea" width="100%" height="100%"/>{_chart_lines(fine)}'
        f'{ripples}<use href="#map-lands" class="lands"/>'
    )


def _chart_lines(geometry: MapGeometry) -> str:
    """The sixteen winds from a rose in the Tyrrhenian Sea, as on a sea chart of the time."""
    x, y = _scaled((geometry.width * 0.11, geometry.height * 0.8))
    rays = "".join(f"M{x - a * 2000} {y - b * 2000}l{a * 4000} {b * 4000}" for a, b in WINDS)
    rose = f'<g class="rose" {_moved((x, y))}><circle r="60"/><path d="{ROSE}"/></g>'
    return f'<path class="winds" d="{rays}"/>{rose}'


def _lines(geometry: MapGeometry) -> str:
    """Every inner border once, in one path, and the outer edge."""
    borders = _open(geometry.inner_arcs().values())
    return f'<path class="borders" d="{borders}"/><use href="#map-coast" class="coast"/>'


def _label(geometry: MapGeometry, region: str) -> str:
    place = geometry.places[region]
    x, y = _scaled(place.label)
    return (
        f'<circle class="city" {_centre(_scaled(place.city))} r="{5 * GRID}"/>'
        f'<text class="label" x="{x}" y="{y}">{region_name(region)}</text>'
    )


def _closed(ring: Iterable[Point]) -> str:
    return svg_path(tuple(ring), grid=GRID, is_closed=True)


def _open(lines: Iterable[Line]) -> str:
    return "".join(svg_path(line, grid=GRID, is_closed=False) for line in lines)


def _scaled(point: Point) -> tuple[int, int]:
    return (round(point[0] * GRID), round(point[1] * GRID))


def _centre(point: Point) -> str:
    return f'cx="{point[0]}" cy="{point[1]}"'


def _moved(point: Point) -> str:
    return f'transform="translate({point[0]} {point[1]})"'
