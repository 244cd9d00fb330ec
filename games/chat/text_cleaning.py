"""Cleans what people type: removes invisible characters, and links that open a seat."""

from __future__ import annotations

import re
import unicodedata

from accounts.characters import EMOJI, without
from accounts.normal_forms import normalized
from accounts.token_links import without_token_links

LONGEST_MESSAGE = 4000

_JOINERS = frozenset("\u200c\u200d")  # needed in Persian and Indic words and in emoji
# letters by Unicode category, but invisible
_BLANKS = frozenset("\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800")
_REFUSED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co"})
_MOST_MARKS = 4  # on one letter; more would overlap the lines above


def cleaned(text: str) -> str:
    """Return the text as stored: without invisible characters and personal links to this site."""
    lines = re.sub(r"\r\n?|[\u2028\u2029\x85]", "\n", text).replace("\t", "    ")
    seen = normalized("NFC", without(lines, lambda one: one != "\n" and _is_refused(one)))
    return without_token_links(_without_towers(seen)).strip()


def is_visible(text: str) -> bool:
    """Return whether any of the text is visible."""
    return any(unicodedata.category(c)[0] in "LNPS" and c not in _BLANKS for c in text) or bool(
        EMOJI.search(text)
    )


def _is_refused(character: str) -> bool:
    if character in _JOINERS:
        return False
    return unicodedata.category(character) in _REFUSED_CATEGORIES or _is_no_character(ord(character))


def _is_no_character(code: int) -> bool:
    """Return whether Unicode will never assign the code point to a visible character."""
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
