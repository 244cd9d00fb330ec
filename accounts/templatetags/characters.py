"""Template filters that count and cut text by the characters people see."""

from __future__ import annotations

from django import template

from accounts.characters import count, cut, shortened

register = template.Library()

register.filter("shortened", shortened)
register.filter("first_characters", cut)
register.filter("character_count", count)
