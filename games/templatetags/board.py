"""Template tags for the board: the map, cards, regions and seat marks.

Shows what it is given, decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import ngettext, pgettext

from games.map.board import SEAT_LETTERS, BoardView, region_notes
from games.map.region_names import region_name
from games.map.svg import MAP, draw, thumbnail
from games.narration.vocabulary import card_name
from games.rules import MERCENARIES, REGIONS, SPEC_OF, neighbours

register = template.Library()

LONGEST_USUAL_NAME = 9  # letters of a card that fit on its picture; longer names are set smaller


@dataclass(frozen=True)
class RegionRow:
    """A row of the map in words."""

    region: str
    name: str
    seat: int | None
    holder: str
    notes: str
    neighbours: tuple[str, ...]
    href: str


@register.simple_tag
def board(view: BoardView, number: int | None = None) -> SafeString:
    """Render the map with one game's marks. Several maps on a page need different numbers."""
    name = MAP if number is None else f"{MAP}-{number}"
    return format_html('<div class="map">{}</div>', draw(view, name))


register.simple_tag(thumbnail)


@register.simple_tag
def region_rows(view: BoardView) -> list[RegionRow]:
    """Return the map in words, region by region, for `_parts/region_list.html`."""
    return [
        RegionRow(
            region=region,
            name=region_name(region),
            seat=view.control.get(region),
            holder=view.holder(region) or "",
            notes=", ".join(region_notes(view, region)),
            neighbours=tuple(sorted(map(region_name, neighbours(region)))),
            href=view.links.get(region, ""),
        )
        for region in sorted(REGIONS, key=region_name)
    ]


@register.simple_tag
def card(card_id: str, counts: int | None = None, size: str = "", laid: bool = False) -> SafeString:
    """Render a card by its record name (`"10"`, `"courtesan"`), plus a space so that lists read as words.

    `counts` is its strength where that differs from its own number. `size` is empty for a chip, `"in-line"`,
    `"in-hand"` or `"on-show"` for a picture. `laid` says that it has just been played.
    """
    kind = "mercenary" if card_id in MERCENARIES else "special"
    changed = "" if counts is None else " lowered" if counts < SPEC_OF[card_id].strength else " raised"
    name = card_name(card_id)
    length = " long-name" if size and len(name) > LONGEST_USUAL_NAME else ""
    return format_html(
        '<span class="card {} card-{}{}">{}{}</span> ',
        kind,
        card_id,
        (f" {size}" if size else "") + length + changed + (" laid" if laid else ""),
        name,
        "" if counts is None else _counts(counts),
    )


def _counts(counts: int) -> SafeString:
    """Render a card's current strength, next to its number."""
    said = pgettext("before a card's strength", "counts")
    return format_html(' <b class="counts"><span class="visually-hidden">{}</span>{}</b>', said, counts)


@register.filter
def in_cards(n: int) -> str:
    """Return how many cards: "3 cards"."""
    # Translators: n is a number
    return ngettext("%(n)s card", "%(n)s cards", n) % {"n": n}


@register.filter
def in_regions(n: int) -> str:
    """Return how many regions: "3 regions"."""
    # Translators: n is a number
    return ngettext("%(n)s region", "%(n)s regions", n) % {"n": n}


@register.filter
def in_connected(n: int) -> str:
    """Return how many regions of a group are connected: "3 connected"."""
    # Translators: n is how many regions of a group are connected
    return ngettext("%(n)s connected", "%(n)s connected", n) % {"n": n}


register.simple_tag(card_name)
register.simple_tag(region_name)


@register.simple_tag
def seat_chip(seat: int, name: str, page: str = "") -> SafeString:
    """Render a seat's mark, which is not read aloud, and the name of its player, which may lead to a page."""
    return format_html(
        '<span class="seat-chip"><span class="chip seat-{}" aria-hidden="true"><b>{}</b></span> {}</span>',
        seat,
        SEAT_LETTERS[seat],
        format_html('<a href="{}">{}</a>', page, name) if page else name,
    )
