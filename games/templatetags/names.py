"""Template filter for shown names inside sentences."""

from __future__ import annotations

from django import template

from accounts import names

register = template.Library()


@register.filter
def first_in_sentence(name: str) -> str:
    """The name as a sentence begins with it."""
    return names.first_in_sentence(name)
