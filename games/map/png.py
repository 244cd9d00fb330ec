"""Draw the board as a PNG for emails, because mail programs do not show SVG.

It has the same shapes and marks as svg.py and decides nothing about what may be seen. What no game changes is
drawn once per width, oversized and then reduced, so a picture costs only a few pastes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from itertools import pairwise
from math import cos, pi, sin

from django.contrib.staticfiles import finders
from PIL import Image, ImageChops, ImageDraw, ImageFont

from games.map.board import BoardView
from games.map.geometry import Line, Point, is_outer, map_geometry
from games.map.seat_colours import SEAT_MARKS, SeatMark
from games.map.terrain import CAPITALS, CITY, LAKES, PRIZE_PLACES, RIVERS, TOWER, hills, inset, steps_along
from games.rules import REGIONS, region_name

SEA = "#c9d8d4"
WATER = "#a7bebe"
LAND = "#f4e7c8"
WASH = "#e2cc98"
FAR_LAND = "#e6dabb"
BORDER = "#7d6440"
COAST = "#54432f"
HALO = "#fdf8ea"
INK = "#2b211a"
HILL = "#a08657"
RIVER = "#5b8794"
MADDER = "#972d35"
GOLD = "#85560a"

FINENESS = 3
"""How many times larger than the picture everything is drawn that is drawn once."""
LABEL_SIZE = 28
LETTER_SIZE = 28
MARK_RADIUS = 20
EDGE = 11
TINT, EDGE_TINT = 0.42, 0.78
MOUND = ((-0.95, 0), (-0.7, -0.45), (-0.35, -0.85), (0, -1), (0.35, -0.75), (0.7, -0.25), (1.05, 0))
FONT = "look/fonts/eb-garamond-600-latin.woff2"


def png(view: BoardView, width: int = 600) -> bytes:
    """Return the board with the marks of one game, `width` pixels wide, as the bytes of a PNG file."""
    sheet = _sheet(width)
    image = sheet.ground.copy()
    for region, seat in view.control.items():
        sheet.colour(image, region, SEAT_MARKS[seat])
    if view.pope:
        sheet.close(image, view.pope)
    image.paste(sheet.top, (0, 0), sheet.top)
    if view.battle:
        sheet.rim(image, view.battle)
    for tile, centre in _marks(view):
        sheet.lay(image, tile, centre)
    return _file(image)


def _file(image: Image.Image) -> bytes:
    out = BytesIO()
    few = image.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(out, "PNG", compress_level=6)
    return out.getvalue()


def _marks(view: BoardView) -> Iterable[tuple[str, Point]]:
    """Return the marks by their tile names with their positions, from lowest to highest."""
    places = map_geometry().places
    for region, seat in sorted(view.control.items()):
        yield SEAT_MARKS[seat].letter, places[region].marker
    for token, where in (("pope", view.pope), ("condottiere", view.battle)):
        if where:
            yield token, places[where].city if where in view.control else places[where].marker
    for region, seats in sorted(view.prizes.items()):
        yield "wreath " + "".join(SEAT_MARKS[seat].letter for seat in seats), PRIZE_PLACES[region]


@dataclass(frozen=True)
class _Sheet:
    """What no game changes, in one width: the ground below the marks, and what is drawn over held regions."""

    ground: Image.Image
    top: Image.Image

    @property
    def scale(self) -> float:
        return self.ground.width / map_geometry().width

    def colour(self, image: Image.Image, region: str, mark: SeatMark) -> None:
        """Fill a region with its holder's colour, thin within and strong along its edge."""
        area, edge, corner = _area(region, self.ground.width)
        image.paste(_tint(mark, TINT), corner, area)
        image.paste(_tint(mark, EDGE_TINT), corner, edge)

    def close(self, image: Image.Image, region: str) -> None:
        """Draw the crosses that close the Pope's region."""
        area, _, corner = _area(region, self.ground.width)
        image.paste(MADDER, corner, ImageChops.multiply(area, _crosses(area.size)))

    def rim(self, image: Image.Image, region: str) -> None:
        """Draw a line around the contested region."""
        mask, corner = _rim(region, self.ground.width)
        image.paste(MADDER, corner, mask)

    def lay(self, image: Image.Image, name: str, centre: Point) -> None:
        """Draw a mark centred on a point."""
        tile = _tile(name, self.scale)
        x, y = (round(n * self.scale - size / 2) for n, size in zip(centre, tile.size, strict=True))
        image.paste(tile, (x, y), tile)


@cache
def _sheet(width: int) -> _Sheet:
    height = round(width * map_geometry().height / map_geometry().width)
    return _Sheet(_drawn(_ground, "RGB", SEA, width, height), _drawn(_top, "RGBA", "#0000", width, height))


def _drawn(draw: _Draw, mode: str, paper: str, width: int, height: int) -> Image.Image:
    image = Image.new(mode, (width * FINENESS, height * FINENESS), paper)
    draw(_Painter(image, image.width / map_geometry().width))
    return image.reduce(FINENESS)


def _ground(painter: _Painter) -> None:
    """Draw the sea with its water lines, and free land."""
    geometry = map_geometry()
    lands = [shape for shapes in geometry.background.values() for shape in shapes]
    shores = [*((*shape, shape[0]) for shape in lands), *_outer_lines()]
    for width in (30, 14):
        for colour, extra in ((WATER, 2.5), (SEA, 0)):
            for shore in shores:
                painter.stroke(shore, colour, width + extra)
    for shape in lands:
        painter.area(shape, FAR_LAND)
        painter.stroke((*shape, shape[0]), BORDER, 1)
    for region in REGIONS:
        painter.area(geometry.outline(region), LAND)
        painter.stroke(_edge(region), WASH, EDGE)
    _rose(painter, (95, 770))
    _cartouche(painter, (505, 890))
    _frame(painter)


def _top(painter: _Painter) -> None:
    """Draw relief, rivers, borders, cities and names."""
    for hill in hills():
        _mound(painter, (hill.x, hill.y), 8 + 1.5 * hill.size)
    for river in RIVERS:
        painter.stroke(river, RIVER, 2.2)
    for lake in LAKES:
        painter.area(lake, RIVER)
    for line in map_geometry().inner_arcs().values():
        painter.dots(line, BORDER, 1.4, 5)
    for line in _outer_lines():
        painter.stroke(line, COAST, 2.2)
    for region, place in map_geometry().places.items():
        painter.figure(place.city, CITY if region in CAPITALS else TOWER, HALO, INK, 2)
    for region, place in map_geometry().places.items():
        painter.text(place.label, region_name(region), LABEL_SIZE, INK, HALO)


def _mound(painter: _Painter, foot: Point, half: float) -> None:
    outline = tuple((foot[0] + x * half, foot[1] + y * half * 1.15) for x, y in MOUND)
    painter.stroke(outline, HILL, 1.5)
    shade = ((0.1, -0.6), (0.3, -0.35), (0.45, -0.02))
    painter.stroke(tuple((foot[0] + x * half, foot[1] + y * half * 1.15) for x, y in shade), HILL, 1.5)


def _rose(painter: _Painter, centre: Point) -> None:
    """Draw eight winds; without the lines that run from them on pages, which would enlarge emails."""
    painter.disc(centre, 42, SEA, COAST, 1.2)
    for first, length in ((1, 47), (0, 66)):
        for i in range(first, 8, 2):
            tip = _polar(centre, i / 4, length)
            for side, colour in ((-1, HALO), (1, COAST)):
                ring = (centre, _polar(centre, i / 4 + side / 4, 14), tip)
                painter.area(ring, colour)
                painter.stroke((*ring, centre), COAST, 1)


def _polar(centre: Point, half_turns: float, radius: float) -> Point:
    return (centre[0] + radius * sin(pi * half_turns), centre[1] - radius * cos(pi * half_turns))


def _cartouche(painter: _Painter, centre: Point) -> None:
    x, y = centre
    for half, tall, width in ((160, 40, 2.5), (152, 33, 1)):
        signs = ((-1, -1, 8, 0), (1, -1, 8, 0), (1, -1, 0, 8), (1, 1, 0, 8))
        upper = [(a * (half - c), b * (tall - d)) for a, b, c, d in signs]
        frame = tuple((x + dx, y + dy) for dx, dy in (*upper, *((-dx, -dy) for dx, dy in upper)))
        painter.area(frame, HALO)
        painter.stroke((*frame, *frame[:2]), COAST, width)
    for letter, shift in zip("ITALIA", (-112, -66, -15, 37, 72, 112), strict=True):
        painter.text((x + shift, y), letter, 56, INK)


def _frame(painter: _Painter) -> None:
    """Draw a measured edge, as on sheets of the time; its steps measure nothing here."""
    width, height = map_geometry().width, map_geometry().height
    corners = ((5, 5), (width - 5, 5), (width - 5, height - 5), (5, height - 5), (5, 5))
    painter.stroke(corners, HALO, 8)
    for (ax, ay), (bx, by) in pairwise(corners):
        for step in range(0, 32, 2):
            start, end = (((ax + (bx - ax) * n / 32), (ay + (by - ay) * n / 32)) for n in (step, step + 1))
            painter.stroke((start, end), BORDER, 8)
    inner = ((10, 10), (width - 10, 10), (width - 10, height - 10), (10, height - 10), (10, 10))
    painter.stroke(inner, BORDER, 1.5)


@cache
def _area(region: str, width: int) -> tuple[Image.Image, Image.Image, tuple[int, int]]:
    """Return masks of a region's area and edge, and their corner's position in the picture."""
    ring = map_geometry().outline(region)
    area, corner = _mask(ring, width, lambda painter: painter.area(ring, "#fff"))
    edge, _ = _mask(ring, width, lambda painter: painter.stroke(_edge(region), "#fff", EDGE))
    return area, ImageChops.multiply(edge, area), corner


@cache
def _rim(region: str, width: int) -> tuple[Image.Image, tuple[int, int]]:
    ring = map_geometry().outline(region)
    return _mask(ring, width, lambda painter: painter.stroke((*ring, *ring[:2]), "#fff", 7))


def _mask(ring: Line, width: int, draw: _Draw) -> tuple[Image.Image, tuple[int, int]]:
    """Return a drawing around one ring, and the position of its upper left corner in the picture."""
    scale = width / map_geometry().width
    left, top = (int(min(point[axis] for point in ring) * scale) - 4 for axis in (0, 1))
    right, bottom = (int(max(point[axis] for point in ring) * scale) + 5 for axis in (0, 1))
    mask = Image.new("L", ((right - left) * FINENESS, (bottom - top) * FINENESS))
    draw(_Painter(mask, scale * FINENESS, (-left / scale, -top / scale)))
    return mask.reduce(FINENESS), (left, top)


@cache
def _crosses(size: tuple[int, int]) -> Image.Image:
    image = Image.new("L", size)
    pen = ImageDraw.Draw(image)
    for x in range(0, size[0], 6):
        for y in range(0, size[1], 6):
            pen.line((x, y, x + 2, y + 2), 170)
            pen.line((x, y + 2, x + 2, y), 170)
    return image


@cache
def _tile(name: str, scale: float) -> Image.Image:
    """Return a single mark: a seat's letter, a token, or a wreath with letters."""
    wreath, _, letters = name.partition(" ")
    half = MARK_RADIUS + 4 + (8 + 7 * len(letters) if letters else 0)
    size = round(2 * half * scale)
    image = Image.new("RGBA", (size * FINENESS, size * FINENESS), "#0000")
    middle = size / scale / 2
    painter = _Painter(image, scale * FINENESS, (middle, middle))
    if letters:
        painter.wreath(letters)
    elif wreath == "pope":
        painter.pope()
    elif wreath == "condottiere":
        painter.condottiere()
    else:
        painter.mark(next(mark for mark in SEAT_MARKS if mark.letter == wreath))
    return image.reduce(FINENESS)


@cache
def _edge(region: str) -> Line:
    line = inset(map_geometry().outline(region), EDGE / 2)
    return (*line, *line[:2])


def _outer_lines() -> Iterable[Line]:
    return (line for name, line in map_geometry().arcs.items() if is_outer(name))


@cache
def _font(size: int, *, is_serif: bool) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return the site's font if Pillow can read it, else Pillow's own."""
    path = finders.find(FONT) if is_serif else None
    try:
        return ImageFont.truetype(path, size) if path else ImageFont.load_default(size)
    except OSError:  # built without Brotli
        return ImageFont.load_default(size)


def _tint(mark: SeatMark, strength: float) -> str:
    """Return the seat's colour thinned by the paper below it; silver and black go to the ends."""
    colour = {"E": "#ffffff", "F": "#1a1612"}.get(mark.letter, mark.colour)
    paper, paint = bytes.fromhex(LAND[1:]), bytes.fromhex(colour[1:])
    return "#" + bytes(round(a + (b - a) * strength) for a, b in zip(paper, paint, strict=True)).hex()


class _Painter:
    """A picture in progress; input is in the geometry's units and drawn `scale` times larger."""

    def __init__(self, image: Image.Image, scale: float, origin: Point = (0, 0)) -> None:
        self.scale = scale
        self._origin = origin
        self._pen = ImageDraw.Draw(image)

    def _at(self, points: Iterable[Point]) -> list[Point]:
        left, top = self._origin
        return [((x + left) * self.scale, (y + top) * self.scale) for x, y in points]

    def area(self, ring: Line, colour: str) -> None:
        self._pen.polygon(self._at(ring), fill=colour)

    def stroke(self, line: Iterable[Point], colour: str, width: float) -> None:
        self._pen.line(self._at(line), fill=colour, width=max(1, round(width * self.scale)), joint="curve")

    def dots(self, line: Line, colour: str, radius: float, apart: float) -> None:
        """Draw a line of dots, `apart` from centre to centre."""
        for centre in steps_along(line, apart):
            self.disc(centre, radius, colour, colour, 0)

    def figure(self, centre: Point, ring: Line, fill: str, edge: str, width: float) -> None:
        moved = tuple((centre[0] + x, centre[1] + y) for x, y in ring)
        self.area(moved, fill)
        self.stroke((*moved, *moved[:2]), edge, width)

    def disc(self, centre: Point, radius: float, fill: str, edge: str, width: float) -> None:
        (x, y), r = self._at([centre])[0], radius * self.scale
        self._pen.ellipse(
            (x - r, y - r, x + r, y + r), fill=fill, outline=edge, width=round(width * self.scale)
        )

    def text(self, centre: Point, words: str, size: float, colour: str, halo: str | None = None) -> None:
        """Draw words in the site's font."""
        self._pen.text(
            self._at([centre])[0],
            words,
            fill=colour,
            font=_font(round(size * self.scale), is_serif=True),
            anchor="mm",
            stroke_width=round(3 * self.scale) if halo else 0,
            stroke_fill=halo,
        )

    def letter(self, letters: str, size: float, colour: str) -> None:
        """Draw the letters of seats, upright and bold."""
        font = _font(round(size * self.scale), is_serif=False)
        place = self._at([(0, 0)])[0]
        self._pen.text(
            place, letters, fill=colour, font=font, anchor="mm", stroke_width=round(0.4 * self.scale)
        )

    def mark(self, mark: SeatMark) -> None:
        ring = _around(mark.outline, MARK_RADIUS)
        self.area(ring, mark.colour)
        self.stroke((*ring, ring[0], ring[1]), INK, 2)
        self.letter(mark.letter, LETTER_SIZE, mark.ink)

    def condottiere(self) -> None:
        """Draw two crossed swords on madder."""
        self.disc((0, 0), MARK_RADIUS, MADDER, HALO, 2)
        for side in (-1, 1):
            self.stroke(_around(((side * 0.55, -0.55), (side * -0.55, 0.55)), MARK_RADIUS), HALO, 3)
            self.stroke(_around(((side * -0.05, 0.55), (side * -0.55, 0.05)), MARK_RADIUS), HALO, 3)

    def pope(self) -> None:
        """Draw a mitre on white."""
        self.disc((0, 0), MARK_RADIUS, "#fffaf0", MADDER, 3.5)
        mitre = ((-0.45, 0.52), (-0.56, -0.15), (0, -0.72), (0.56, -0.15), (0.45, 0.52))
        ring = _around(mitre, MARK_RADIUS)
        self.area(ring, "#f7e6bb")
        self.stroke((*ring, ring[0], ring[1]), GOLD, 2)
        self.stroke(_around(((0, -0.5), (0, 0.52)), MARK_RADIUS), GOLD, 2)
        self.stroke(_around(((-0.5, 0.15), (0.5, 0.15)), MARK_RADIUS), GOLD, 2)

    def wreath(self, letters: str) -> None:
        """Draw laurel on either side of the letters of the possible winners."""
        apart = 6.5 * (len(letters) - 1)
        self.area(((-apart, -15), (apart, -15), (apart, 15), (-apart, 15)), HALO)
        for side in (-1, 1):
            self.disc((side * apart, 0), 15, HALO, HALO, 1)
            for step in range(6):
                angle = pi * (0.14 + step * 0.145)
                x, y = side * (apart + 17 * sin(angle)), 17 * cos(angle)
                self.disc((x, y), 5, GOLD, HALO, 0.8)
        self.letter(letters, 22, GOLD)


def _around(outline: Iterable[Point], radius: float) -> Line:
    return tuple((x * radius, y * radius) for x, y in outline)


_Draw = Callable[[_Painter], None]
