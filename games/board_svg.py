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
from games.map_geometry import MapGeometry, Point, is_outer, map_geometry, svg_path
from games.rules import REGIONS, region_name

GRID = 2
"""Units of the drawing to one of the geometry: half a unit is finer than any screen shows the board."""
TOLERANCE = 0.6
BACKGROUND_TOLERANCE = 1.0
TOKEN = 17 * GRID

SWORDS = "M-19-19 13 13M19-19-13 13M-5 16l-11-11M5 16 16 5M-13 13l-6 6M13 13l6 6"
MITRE = "M-15 18-19-5-9-16 0-25 9-16 19-5 15 18zM0-17V18M-17 6H17"


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
        role = "group" if view.links else "img"
        parts = [
            f'<svg class="board" viewBox="{self.view_box}" role="{role}" aria-labelledby="map-title map-words">',
            format_html('<title id="map-title">{}</title>', _("Map of the regions")),
            format_html('<desc id="map-words">{}</desc>', board_words(view)),
            self.ground,
            *(self._region(view, region) for region in REGIONS),
            *self._emphasis(view),
            self.lines,
            self.words,
            *(
                self._vacancy(region)
                for region in REGIONS
                if region in view.links and region not in view.control
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
            return (
                format_html('<a class="{} open" href="{}">', classes, view.links[region])
                + f"{title}{shape}</a>"
            )
        return f'<g class="{classes}">{title}{shape}</g>'

    def _emphasis(self, view: BoardView) -> Iterable[str]:
        """The hatching over the Pope's region, and the rim of the one fought for or chosen."""
        if view.pope:
            yield f'<use href="#map-{view.pope}" fill="url(#map-hatch)" class="closed"/>'
        for kind, region in (("contested", view.battle), ("selected", view.selected)):
            if region:
                yield f'<use href="#map-{region}" class="rim {kind}"/>'

    def _vacancy(self, region: str) -> str:
        return f'<circle class="vacancy" {_centre(self.marks[region])} r="{TOKEN - 6}"/>'

    def _control_mark(self, region: str, seat: int) -> str:
        mark = SEAT_MARKS[seat]
        points = svg_path([(x * TOKEN, y * TOKEN) for x, y in mark.outline], grid=1, is_closed=True)
        return f'<g class="mark seat-{seat}" {_moved(self.marks[region])}><path d="{points}"/><text>{mark.letter}</text></g>'

    def _token(self, kind: str, figure: str, region: str | None, control: Mapping[str, int]) -> str:
        """A token stands where a control marker would, or on the city of a region that has one."""
        if region is None:
            return ""
        where = self.cities[region] if region in control else self.marks[region]
        return f'<g class="token {kind}" {_moved(where)}><circle r="{TOKEN + 2}"/><path d="{figure}"/></g>'


@cache
def board() -> Board:
    """The board of both editions, made once for each process."""
    full = map_geometry()
    fine = full.simplified(TOLERANCE)
    return Board(
        view_box=f"0 0 {fine.width * GRID} {fine.height * GRID}",
        ground=_ground(full.simplified(BACKGROUND_TOLERANCE), fine),
        regions={region: svg_path(fine.outline(region), grid=GRID, is_closed=True) for region in REGIONS},
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
    coast = "".join(
        svg_path(line, grid=GRID, is_closed=False) for name, line in fine.arcs.items() if is_outer(name)
    )
    lands = "".join(
        svg_path(shape, grid=GRID, is_closed=True)
        for shapes in coarse.background.values()
        for shape in shapes
    )
    hatch = '<pattern id="map-hatch" width="16" height="16" patternUnits="userSpaceOnUse"><path d="M0 16 16 0"/></pattern>'
    return (
        f'<defs>{hatch}<path id="map-coast" d="{coast}"/><path id="map-lands" d="{lands}"/></defs>'
        f'<rect class="sea" width="100%" height="100%"/>{_chart_lines(fine)}'
        + "".join(
            f'<use href="#map-{part}" class="ripple-{step}"/>'
            for step in (3, 2, 1)
            for part in ("coast", "lands")
        )
        + '<use href="#map-lands" class="lands"/>'
    )


def _chart_lines(geometry: MapGeometry) -> str:
    """The sixteen winds from a rose in the Tyrrhenian Sea, as on a sea chart of the time."""
    x, y = round(geometry.width * GRID * 0.11), round(geometry.height * GRID * 0.8)
    winds = ((1, 0), (2, 1), (1, 1), (1, 2), (0, 1), (-1, 2), (-1, 1), (-2, 1))
    rays = "".join(f"M{x - a * 2000} {y - b * 2000}l{a * 4000} {b * 4000}" for a, b in winds)
    star = "l".join(
        (
            "M0-90",
            "14 76 50-36-36 50 76 14-76 14 36 50-50-36-14 76-14-76-50 36 36-50-76-14 76-14-36-50 50 36z",
        )
    )
    return f'<path class="winds" d="{rays}"/><g class="rose" transform="translate({x} {y})"><circle r="60"/><path d="{star}"/></g>'


def _lines(geometry: MapGeometry) -> str:
    """Every inner border once, in one path, and the outer edge."""
    borders = "".join(svg_path(line, grid=GRID, is_closed=False) for line in geometry.inner_arcs().values())
    return f'<path class="borders" d="{borders}"/><use href="#map-coast" class="coast"/>'


def _label(geometry: MapGeometry, region: str) -> str:
    place = geometry.places[region]
    x, y = _scaled(place.label)
    return (
        f'<circle class="city" {_centre(_scaled(place.city))} r="{5 * GRID}"/>'
        f'<text class="label" x="{x}" y="{y}">{region_name(region)}</text>'
    )


def _scaled(point: Point) -> tuple[int, int]:
    return (round(point[0] * GRID), round(point[1] * GRID))


def _centre(point: Point) -> str:
    return f'cx="{point[0]}" cy="{point[1]}"'


def _moved(point: Point) -> str:
    return f'transform="translate({point[0]} {point[1]})"'
