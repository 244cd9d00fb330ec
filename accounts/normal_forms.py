"""Unicode's normal forms of what strangers type, in a time that grows with its length."""

from __future__ import annotations

import unicodedata
from typing import Literal

# Sorting marks takes a time that grows with the square of their number. Unicode's Stream-Safe Text Format
# (UAX 15, 13) allows as many; no writing needs more than a few.
MOST_MARKS = 30


def normalized(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """Return the text in this normal form, without the marks beyond 30 on one letter."""
    return text if text.isascii() else unicodedata.normalize(form, _without_endless_marks(text))


def _without_endless_marks(text: str) -> str:
    if not any(map(unicodedata.combining, set(text))):
        return text  # as nearly all texts, and this is much faster
    kept, marks = list[str](), 0
    for character in text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= MOST_MARKS:
            kept.append(character)
    return "".join(kept)
