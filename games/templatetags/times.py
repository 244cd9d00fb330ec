"""Template filter for how long ago something was."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import template
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

from accounts import present

register = template.Library()


@register.filter
def how_long(since: datetime) -> str:
    """The time since then in words, as in “for 3 days” or “3 days ago”; never “0 minutes”."""
    if present.now() - since < timedelta(minutes=1):
        return _("less than a minute")
    return timesince(since)
