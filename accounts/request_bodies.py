"""How much a request brings. What is too large is refused before it is read."""

from __future__ import annotations

from django.http import HttpRequest


def length_of_body(request: HttpRequest) -> int:
    """Return how many bytes of a body the request announces; Django reads no more than these."""
    length = request.headers.get("Content-Length", "")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 12 else 0
