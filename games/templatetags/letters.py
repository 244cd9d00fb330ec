"""Template tags for letters: what stands in their tables. Read only."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from games.map.heraldry import SEAT_MARKS

register = template.Library()


@register.simple_tag
def seat_letter(seat: int) -> SafeString:
    """A seat's letter on its tincture, as on the map in the letter; not read aloud, for a name follows."""
    return format_html(
        '<span class="seat seat-{}" aria-hidden="true">{}</span>', seat, SEAT_MARKS[seat].letter
    )
