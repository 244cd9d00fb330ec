"""Template filter for how long ago something was."""

from __future__ import annotations

from datetime import datetime

from django import template

from games.telling.told_times import time_since

register = template.Library()


@register.filter
def how_long(since: datetime) -> str:
    """The time since then in words."""
    return time_since(since)
