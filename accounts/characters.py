"""Characters as people see them: count and cut text without splitting a flag, an emoji or an accented letter.

A character is a grapheme cluster (UAX 29), which may have several code points.
"""

from collections.abc import Callable, Iterator
from typing import Any

import regex
from django import forms
from django.core.validators import MaxLengthValidator

# Code points of the longest emoji in use: a kiss of two people with skin tones. What has more counts as
# several characters, so that a number of characters also bounds the bytes.
CODE_POINTS = 10
# Whole emoji, whose parts may be invisible: keycaps, flags of countries and of England, Scotland and Wales,
# and what is joined of several (UTS 51).
EMOJI = regex.compile(
    r"""
    (
    [0-9\#*]\uFE0F?\u20E3
    | \p{RI}{2}
    | \U0001F3F4\U000E0067\U000E0062
      (?:\U000E0065\U000E006E\U000E0067|\U000E0073\U000E0063\U000E0074|\U000E0077\U000E006C\U000E0073)
      \U000E007F
    | [\p{Emoji}--[0-9\#*]](?:\p{EMod}|[\uFE0E\uFE0F])?
      (?:\u200D[\p{Emoji}--[0-9\#*]](?:\p{EMod}|[\uFE0E\uFE0F])?)*
    )
    """,
    regex.VERBOSE | regex.V1,
)
_MOST_COUNTED = 200_000  # ten times the longest limit, in code points
_ELLIPSIS = "…"
# A flag is matched first: in a row of flags, \X alone would look back to the first one each time.
_CHARACTER = regex.compile(r"\p{RI}{2}[\p{GCB=Extend}\p{GCB=SpacingMark}\u200D]*|\X")


def count(text: str) -> int:
    """Return the number of characters; of a text longer than any limit, that of code points."""
    if len(text) > _MOST_COUNTED:
        return len(text)
    return sum(map(_weight, _characters(text)))


def cut(text: str, most: int, *, code_points: int | None = None) -> str:
    """Return the first characters of the text, at most `most`, and `code_points` if a column has no more."""
    room = most * CODE_POINTS if code_points is None else code_points
    used = end = 0
    for character in _characters(text[: room + CODE_POINTS]):
        used += _weight(character)
        if used > most or end + len(character) > room:
            break
        end += len(character)
    return text[:end]


def shortened(text: str, most: int) -> str:
    """Return the text in at most this many characters, with an ellipsis if some are left out."""
    return text if count(text) <= most else cut(text, most - 1).rstrip() + _ELLIPSIS


def printable(text: str, instead: str = " ") -> str:
    """Return the text with `instead` of each control or invisible character that is no part of an emoji."""
    return without(text, lambda one: not one.isprintable(), instead)


def without(text: str, is_refused: Callable[[str], bool], instead: str = "") -> str:
    """Return the text with `instead` of each refused character; emoji stay whole."""
    # The pattern has one group, so every other piece is an emoji.
    return "".join(
        piece if place % 2 else "".join(instead if is_refused(one) else one for one in piece)
        for place, piece in enumerate(EMOJI.split(text))
    )


class MostCharacters(MaxLengthValidator):
    """Validator that counts the characters people see."""

    def clean(self, x: Any) -> int:
        """Return the number to compare."""
        return count(x)


class CharactersField(forms.CharField):
    """A text field whose `max_length` counts the characters people see; the browser cuts nothing off."""

    def __init__(self, *, max_length: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.validators.append(MostCharacters(max_length))


def _characters(text: str) -> Iterator[str]:
    return (found[0] for found in _CHARACTER.finditer(text))


def _weight(character: str) -> int:
    return -(-len(character) // CODE_POINTS)
