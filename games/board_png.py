"""Draws the board as a PNG for letters, whose readers' programs show no SVG.

Same shapes and marks as board_svg; decides nothing about what may be seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from games.board_view import BoardView
from games.heraldry import SEAT_MARKS, SeatMark
from games.map_geometry import Line, Point, is_outer, map_geometry
from games.rules import REGIONS, region_name

SEA = "#c9d8d4"
SHORE = "#a3baba"
LAND = "#f4e7c8"
FAR_LAND = "#e6dabb"
BORDER = "#7d6440"
COAST = "#54432f"
HALO = "#fdf8ea"
INK = "#2b211a"
MADDER = "#972d35"
GOLD = "#85560a"

OVERSAMPLING = 2
LABEL_SIZE = 27
LETTER_SIZE = 28
MARK_RADIUS = 20
TINT = 0.48


def png(view: BoardView, width: int = 600) -> bytes:
    """The board with the marks of one game, `width` pixels wide, as the bytes of a PNG file."""
    geometry = map_geometry()
    height = round(width * geometry.height / geometry.width)
    painter = _Painter(_land(width).copy(), width * OVERSAMPLING / geometry.width)
    for region, seat in sorted(view.control.items()):
        painter.area(geometry.outline(region), _tint(SEAT_MARKS[seat]))
    painter.borders()
    if view.battle:
        painter.stroke((*(ring := geometry.outline(view.battle)), ring[0]), MADDER, 6)
    painter.places()
    for region, seat in sorted(view.control.items()):
        painter.mark(geometry.places[region].marker, SEAT_MARKS[seat])
    if view.pope:
        painter.pope(_token_place(view, view.pope))
    if view.battle:
        painter.condottiere(_token_place(view, view.battle))
    out = BytesIO()
    small = painter.image.resize((width, height), Image.Resampling.LANCZOS)
    small.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


@cache
def _land(width: int) -> Image.Image:
    """Sea and free land, which no game changes."""
    geometry = map_geometry()
    size = (width * OVERSAMPLING, round(width * geometry.height / geometry.width) * OVERSAMPLING)
    painter = _Painter(Image.new("RGB", size, SEA), width * OVERSAMPLING / geometry.width)
    lands = [shape for shapes in geometry.background.values() for shape in shapes]
    for line in (*((*shape, shape[0]) for shape in lands), *_outer_lines()):
        painter.stroke(line, SHORE, 14)
    for shape in lands:
        painter.area(shape, FAR_LAND)
    for region in REGIONS:
        painter.area(geometry.outline(region), LAND)
    return painter.image


def _token_place(view: BoardView, region: str) -> Point:
    place = map_geometry().places[region]
    return place.city if region in view.control else place.marker


def _outer_lines() -> Iterable[Line]:
    return (line for name, line in map_geometry().arcs.items() if is_outer(name))


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def _tint(mark: SeatMark) -> str:
    """The seat's colour thinned by the paper below it; silver and black go to the ends."""
    colour = {"E": "#ffffff", "F": "#3a3430"}.get(mark.letter, mark.colour)
    paper, paint = bytes.fromhex(LAND[1:]), bytes.fromhex(colour[1:])
    return "#" + bytes(round(a + (b - a) * TINT) for a, b in zip(paper, paint, strict=True)).hex()


class _Painter:
    """A picture under way; everything is given in the geometry's units and drawn `scale` times larger."""

    def __init__(self, image: Image.Image, scale: float) -> None:
        self.image = image
        self.scale = scale
        self._pen = ImageDraw.Draw(image)

    def _at(self, points: Iterable[Point]) -> list[Point]:
        return [(x * self.scale, y * self.scale) for x, y in points]

    def area(self, ring: Line, colour: str) -> None:
        self._pen.polygon(self._at(ring), fill=colour)

    def stroke(self, line: Iterable[Point], colour: str, width: float) -> None:
        self._pen.line(self._at(line), fill=colour, width=max(1, round(width * self.scale)), joint="curve")

    def borders(self) -> None:
        for line in map_geometry().inner_arcs().values():
            self.stroke(line, BORDER, 2)
        for line in _outer_lines():
            self.stroke(line, COAST, 2.5)

    def places(self) -> None:
        for region, place in map_geometry().places.items():
            self.disc(place.city, 5, INK, HALO, 1.5)
            self.text(place.label, region_name(region), LABEL_SIZE, INK, HALO)

    def disc(self, centre: Point, radius: float, fill: str, edge: str, width: float) -> None:
        (x, y), r = self._at([centre])[0], radius * self.scale
        self._pen.ellipse(
            (x - r, y - r, x + r, y + r), fill=fill, outline=edge, width=round(width * self.scale)
        )

    def text(self, centre: Point, words: str, size: float, colour: str, halo: str | None = None) -> None:
        self._pen.text(
            self._at([centre])[0],
            words,
            fill=colour,
            font=_font(round(size * self.scale)),
            anchor="mm",
            stroke_width=round((3.5 if halo else 0.4) * self.scale),
            stroke_fill=halo or colour,
        )

    def mark(self, centre: Point, mark: SeatMark) -> None:
        ring = _around(centre, mark.outline, MARK_RADIUS)
        self.area(ring, mark.colour)
        self.stroke((*ring, ring[0], ring[1]), INK, 2)
        self.text(centre, mark.letter, LETTER_SIZE, mark.ink)

    def condottiere(self, centre: Point) -> None:
        """Two crossed swords on madder."""
        self.disc(centre, MARK_RADIUS, MADDER, HALO, 2)
        for side in (-1, 1):
            self.stroke(_around(centre, ((side * 0.55, -0.55), (side * -0.55, 0.55)), MARK_RADIUS), HALO, 3)
            self.stroke(_around(centre, ((side * -0.05, 0.55), (side * -0.55, 0.05)), MARK_RADIUS), HALO, 3)

    def pope(self, centre: Point) -> None:
        """A mitre on white."""
        self.disc(centre, MARK_RADIUS, "#fffaf0", MADDER, 2.5)
        mitre = ((-0.45, 0.52), (-0.56, -0.15), (0, -0.72), (0.56, -0.15), (0.45, 0.52))
        ring = _around(centre, mitre, MARK_RADIUS)
        self.area(ring, "#f7e6bb")
        self.stroke((*ring, ring[0], ring[1]), GOLD, 2)
        self.stroke(_around(centre, ((0, -0.5), (0, 0.52)), MARK_RADIUS), GOLD, 2)
        self.stroke(_around(centre, ((-0.5, 0.15), (0.5, 0.15)), MARK_RADIUS), GOLD, 2)


def _around(centre: Point, outline: Iterable[Point], radius: float) -> Line:
    return tuple((centre[0] + x * radius, centre[1] + y * radius) for x, y in outline)
