"""Texts as readers of the site's languages meet them: words of another language, and texts side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from games.rules import REGIONS, region_name

NAMES = re.compile(
    r"python -m [\w.]+(?: verify)? FILE|Condottiere(?: by email)?|SHA[-\u2011]256|HMAC-SHA256"
    r"|https?://\S+|\S+@example\.org|\b[0-9a-f]{32,64}\b"
    r"|\b(?:Anna|Bruno|Carla|Table 42|English|polski|Русский|русский)\b"
)
LATIN, CYRILLIC = re.compile(r"[A-Za-z]{2,}"), re.compile(r"[а-яё]+", re.IGNORECASE)
OF_ENGLISH = re.compile(
    r"\b(the|you|your|and|is|of|are|for|with|from|this|that|has|players?|rounds?|seasons?|leagues?|games?|points|"
    r"open|sign|day|days|won)\b",
    re.IGNORECASE,
)
OF_POLISH = re.compile(r"[ąćęłńśźż]|\b(twoja|twoje|masz|gra|karty|ruch)\b", re.IGNORECASE)
WIDTH = 76
ON_THE_MAP = rf"\((?:{'|'.join(map(region_name, REGIONS))})\)"  # behind a name in the reader's language


def in_another_language(language: str, text: str, names: str = "") -> list[str]:
    """Return the words that are not in the reader's language; `names` is a pattern of words that may be."""
    text = " ".join(text.split())  # names break at the ends of lines
    text = NAMES.sub("", re.sub(names, "", text) if names else text)
    if language == "ru":
        return LATIN.findall(text)
    return CYRILLIC.findall(text) + (OF_ENGLISH if language == "pl" else OF_POLISH).findall(text)


def side_by_side(texts: Sequence[str]) -> str:
    """Return the texts in columns, line by line."""
    rows = zip_longest(*(text.splitlines() for text in texts), fillvalue="")
    return "\n".join(" | ".join(line[:WIDTH].ljust(WIDTH) for line in row).rstrip() for row in rows)
