"""Numbers and lines of text as people type them."""

from __future__ import annotations


def read_number(text: str) -> int | None:
    """Return a number from an address or a form, or None if it is none that a row could have."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def single_line(text: str) -> str:
    """Return text without control, bidirectional or line-breaking characters; inner spaces are single."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
