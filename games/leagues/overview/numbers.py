"""Points as people read them, and as programs do. Pure."""

from __future__ import annotations

from fractions import Fraction

from django.utils.formats import number_format
from django.utils.translation import gettext as _

_FRACTIONS = {
    Fraction(1, 2): "½",
    Fraction(1, 3): "⅓",
    Fraction(2, 3): "⅔",
    Fraction(1, 4): "¼",
    Fraction(3, 4): "¾",
    Fraction(1, 5): "⅕",
    Fraction(2, 5): "⅖",
    Fraction(3, 5): "⅗",
    Fraction(4, 5): "⅘",
    Fraction(1, 6): "⅙",
    Fraction(5, 6): "⅚",
}


def as_people_read(number: Fraction) -> str:
    """ "7", "2½", or "7.32" rounded to two places where there is no sign for the fraction."""
    whole, rest = divmod(number, 1)
    if not rest:
        return str(whole)
    if rest in _FRACTIONS:
        return f"{whole or ''}{_FRACTIONS[rest]}"
    return number_format(round(float(number), 2), decimal_pos=2)


def exactly(number: Fraction) -> str:
    """The number in full: "7 (22/3)" is "7⅓", but no sign says 161/22: "7.32 (161/22)"."""
    told = as_people_read(number)
    if number.denominator == 1 or number % 1 in _FRACTIONS:
        return told
    return _("%(rounded)s (exactly %(number)s)") % {"rounded": told, "number": number}


def as_decimal(number: Fraction) -> float:
    """To six places, for programs that know no fractions."""
    return round(float(number), 6)
