"""What is taken out of a text before it is stored: invisible characters, and links that open a seat.

Knows characters, no database; rendering.py makes the HTML.
"""

from __future__ import annotations

import re
import unicodedata

from accounts.token_links import without_token_links

LONGEST_MESSAGE = 4000

_JOINERS = frozenset("\u200c\u200d")  # needed in Persian and Indic words and in emoji
_BLANKS = frozenset("\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800")  # letters by category, empty to the eye
_REFUSED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co"})
_MOST_MARKS = 4  # on one letter; more climb over the lines above


def cleaned(text: str) -> str:
    """The text as it is stored: without what cannot be seen, and without personal links to this site."""
    lines = re.sub(r"\r\n?|[\u2028\u2029\x85]", "\n", text).replace("\t", "    ")
    seen = unicodedata.normalize("NFC", "".join(c for c in lines if c == "\n" or not _is_refused(c)))
    return without_token_links(_without_towers(seen)).strip()


def is_visible(text: str) -> bool:
    """Whether the eye finds anything in it."""
    return any(unicodedata.category(c)[0] in "LNPS" and c not in _BLANKS for c in text)


def _is_refused(character: str) -> bool:
    if character in _JOINERS:
        return False
    return unicodedata.category(character) in _REFUSED_CATEGORIES or _is_no_character(ord(character))


def _is_no_character(code: int) -> bool:
    """Code points that Unicode will never give to a character, or to none that is seen."""
    if code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:
        return True
    is_unseen = code == 0x2065 or 0xFFF0 <= code <= 0xFFF8 or 0xE0000 <= code <= 0xE0FFF
    return is_unseen and unicodedata.category(chr(code)) == "Cn"


def _without_towers(text: str) -> str:
    kept, marks = [], 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character)[0] == "M" else 0
        if marks <= _MOST_MARKS:
            kept.append(character)
    return "".join(kept)
