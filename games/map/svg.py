"""Draw the board as an SVG fragment for a page: one game's marks on the shapes of look/map.svg.

Colours and sizes are the style sheet's (look/board.css): nothing here writes a style attribute.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from games.map.board import SEAT_LETTERS, BoardView, board_words, region_words
from games.map.places import GRID, PRIZE_PLACES, TOKEN, Point, map_places
from games.rules import REGIONS

MAP = "map"
"""The name of a page's first map: it alone has the hatching that print needs, for all maps of the page."""

CROSSES = "M4 4l8 8M12 4l-8 8"
PAPER = '<rect width="22" height="22"/>'
HATCHING = (
    "M0 11h22",
    "M5 5h.1M16 16h.1",
    "M0 0l22 22",
    "M11 0v22",
    "",
    "M0 11h22M11 0v22",
)
"""The six tinctures in black and white, as engravers of arms have long shown them."""


@dataclass(frozen=True)
class _Drawing:
    """A picture in progress."""

    view: BoardView
    name: str
    sheet: str

    def svg(self) -> SafeString:
        view, board = self.view, map_places()
        box = f"0 0 {board.width * GRID} {board.height * GRID}"
        role = "group" if view.links else "img"
        named = f'aria-labelledby="{self.name}-title" aria-describedby="{self.name}-words"'
        parts = [
            f'<svg class="board" viewBox="{box}" role="{role}" {named}>',
            format_html('<title id="{}-title">{}</title>', self.name, _("Map of the regions")),
            format_html('<desc id="{}-words">{}</desc>', self.name, board_words(view)),
            *self._patterns(),
            self._use("chart", "chart"),
            *(self._region(region) for region in REGIONS),
            self._use("relief", "relief"),
            *self._closed(),
            self._use("lines", "lines"),
            *self._rims(),
            self._use("cities", "cities"),
            self._use("names", "names"),
            *self._vacancies(),
            *(self._control_mark(region, seat) for region, seat in sorted(view.control.items())),
            self._token("pope", view.pope),
            self._token("condottiere", view.battle),
            *(self._prize(region, seats) for region, seats in sorted(view.prizes.items())),
            "</svg>",
        ]
        return mark_safe("".join(parts))  # noqa: S308 (names pass through format_html, the rest is ours)

    def _use(self, part: str, classes: str = "", more: str = "") -> str:
        """Return a part of the sheet. Parts without a meaning of their own are hidden from screen readers."""
        named = f'class="{classes}" aria-hidden="true" ' if classes else ""
        return f'<use {named}href="{self.sheet}#{part}"{more}/>'

    def _patterns(self) -> Iterable[str]:
        """Return the hatching of areas: the Pope's, and in print those of each seat."""
        if self.view.pope:
            yield _pattern(f"{self.name}-closed", 16, f'<path d="{CROSSES}"/>')
        if self.name == MAP:
            for seat in sorted(set(self.view.control.values())):
                yield _pattern(f"tincture-{seat}", 22, f'{PAPER}<path d="{HATCHING[seat]}"/>')

    def _region(self, region: str) -> str:
        title = format_html("<title>{}</title>", region_words(self.view, region))
        inside = f"{title}{self._use(region)}"
        classes = " ".join(self._region_classes(region))
        if region in self.view.links:
            return format_html('<a class="{}" href="{}">', classes, self.view.links[region]) + f"{inside}</a>"
        # Without links the whole board is one picture. With them, its description and the list say the rest.
        hidden = ' aria-hidden="true"' if self.view.links else ""
        return f'<g class="{classes}"{hidden}>{inside}</g>'

    def _region_classes(self, region: str) -> Iterable[str]:
        yield "region"
        if (seat := self.view.control.get(region)) is not None:
            yield f"held seat-{seat}"
        if region in self.view.links:
            yield "open"

    def _closed(self) -> Iterable[str]:
        """Return the crosses that close the Pope's region."""
        if self.view.pope:
            yield self._use(self.view.pope, "closed", f' fill="url(#{self.name}-closed)"')

    def _rims(self) -> Iterable[str]:
        """Return rims for the contested region, the chosen one, and where a battle has just ended."""
        view = self.view
        for kind, region in (
            ("taken", view.taken),
            ("contested", view.battle),
            ("selected", view.selected),
        ):
            if region:
                yield self._use(region, f"rim {kind}")

    def _vacancies(self) -> Iterable[str]:
        """Return a marker place in each free region that can be chosen."""
        for region in REGIONS:
            if region in self.view.links and region not in self.view.control:
                x, y = _scaled(map_places().places[region].marker)
                yield f'<circle class="vacancy" cx="{x}" cy="{y}" r="{TOKEN - 6}"/>'

    def _control_mark(self, region: str, seat: int) -> str:
        inside = self._use(f"mark-{SEAT_LETTERS[seat]}")
        return f'<g class="mark seat-{seat}" {_moved(map_places().places[region].marker)}>{inside}</g>'

    def _token(self, kind: str, region: str | None) -> str:
        """Return a token at the control marker's place, or on the region's city if it has one."""
        if region is None:
            return ""
        place = map_places().places[region]
        where = place.city if region in self.view.control else place.marker
        return f'<g class="token {kind}" {_moved(where)}>{self._use(kind)}</g>'

    def _prize(self, region: str, seats: Iterable[int]) -> str:
        """Return a wreath with the letters of the seats that would win the game by taking a region."""
        letters = "".join(SEAT_LETTERS[seat] for seat in seats)
        half = 12 * (len(letters) - 1)
        wreath = f'<rect x="{-half - 27}" y="-27" width="{2 * half + 54}" height="54" rx="27"/>'
        for side, turn in ((-half, ""), (half, "scale(-1 1)")):
            wreath += f'<g transform="translate({side}){turn}">{self._use("laurel")}</g>'
        inside = f'<g>{wreath}<text dy=".35em">{letters}</text></g>'
        return f'<g class="prize" aria-hidden="true" {_moved(PRIZE_PLACES[region])}>{inside}</g>'


def thumbnail(view: BoardView) -> SafeString:
    """Return a small board: who holds what, and where the battle is. It needs the static file of shapes."""
    drawing = _Drawing(view, "", static("look/map.svg"))
    board = map_places()
    box = f"0 0 {board.width * GRID} {board.height * GRID}"
    parts = [
        format_html(
            '<svg class="board small-board" viewBox="{}" role="img" aria-label="{}">', box, board_words(view)
        ),
        *(
            f'<g class="{" ".join(drawing._region_classes(region))}">{drawing._use(region)}</g>'
            for region in REGIONS
        ),
        *drawing._rims(),
        drawing._token("condottiere", view.battle),
        "</svg>",
    ]
    return mark_safe("".join(parts))  # noqa: S308 (words pass through format_html, the rest is ours)


def draw(view: BoardView, name: str = MAP, sheet: str | None = None) -> SafeString:
    """Return the board with one game's marks, as one `<svg>`. Maps that share a page need different names.

    `sheet` is the address of the shapes: the static file, or empty where the `<svg>` will hold them itself.
    """
    return _Drawing(view, name, static("look/map.svg") if sheet is None else sheet).svg()


def _pattern(name: str, size: int, inside: str) -> str:
    return (
        f'<pattern id="{name}" class="hatching" width="{size}" height="{size}" patternUnits="userSpaceOnUse">'
        f"{inside}</pattern>"
    )


def _scaled(point: Point) -> tuple[int, int]:
    return (round(point[0] * GRID), round(point[1] * GRID))


def _moved(point: Point) -> str:
    x, y = _scaled(point)
    return f'transform="translate({x} {y})"'
