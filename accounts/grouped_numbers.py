"""Large numbers as people read them, in the language of the moment."""

from __future__ import annotations

from django.utils.formats import number_format

GROUPED_FROM = 10_000  # four digits are read at a glance


def grouped(number: int) -> str:
    """Return the number with its thousands apart: "12,345" in English."""
    return number_format(number, force_grouping=True) if number >= GROUPED_FROM else str(number)
