"""Another language than the site's own, in which every text of the site is marked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from django.core.cache import caches
from django.utils import translation

MARK = "⟦"


@contextmanager
def parts_of_its_own() -> Iterator[None]:
    """Share no part of a page with pages outside this context, whose texts are others."""
    kept = caches["template_fragments"]
    kept.clear()
    try:
        yield
    finally:
        kept.clear()


@contextmanager
def another_language() -> Iterator[None]:
    """Mark every translated text of the site within this context."""
    speaks = getattr(translation, "_trans")  # noqa: B009 - what all of Django's translating goes through
    with (
        parts_of_its_own(),
        patch.object(speaks, "gettext", lambda text: f"{MARK}{text}"),
        patch.object(speaks, "ngettext", lambda one, many, n: f"{MARK}{one if n == 1 else many}"),
        patch.object(speaks, "pgettext", lambda _context, text: f"{MARK}{text}"),
    ):
        yield
