"""Template filter for shown names inside sentences."""

from __future__ import annotations

from django import template

from accounts import names
from games import names as names_at_tables
from games.models import Seat

register = template.Library()


@register.filter
def first_in_sentence(name: str) -> str:
    """The name as a sentence begins with it."""
    return names.first_in_sentence(name)


@register.filter
def seat_name(seat: Seat) -> str:
    """What a seat is called by itself, or what its person is hidden behind."""
    return names_at_tables.seat_name(seat)
