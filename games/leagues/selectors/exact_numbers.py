"""Points as people and programs read them: fractions as decimals, exact where it matters."""

from __future__ import annotations

from fractions import Fraction

from django.utils.formats import number_format
from django.utils.translation import gettext as _

MOST_PLACES = 2  # after the decimal point


def as_people_read(number: Fraction) -> str:
    """Return a number like "7", "2.5" or, rounded, "7.32"."""
    rounded = round(number, MOST_PLACES)
    places = next(places for places in range(MOST_PLACES + 1) if round(number, places) == rounded)
    return number_format(float(rounded), decimal_pos=places)


def exactly(number: Fraction) -> str:
    """Return the number, with its exact fraction if it is rounded: 161/22 is "7.32 (exactly 161/22)"."""
    text = as_people_read(number)
    if number == round(number, MOST_PLACES):
        return text
    # Translators: rounded is a decimal number; number is the exact fraction
    return _("%(rounded)s (exactly %(number)s)") % {"rounded": text, "number": number}


def as_decimal(number: Fraction) -> float:
    """Return a decimal rounded to six places, for programs without fractions."""
    return round(float(number), 6)
