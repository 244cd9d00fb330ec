"""Pagination that reads no more rows than it shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)


def page_of(rows: QuerySet[Row] | Sequence[Row], number: str | None, size: int) -> Page[Row]:
    """Return the page with this number, or the first; count rows only if there is more than one page."""
    if number not in (None, "1"):
        return Paginator(rows, size).get_page(number)
    first = list(rows[: size + 1])
    return Page(first[:size], 1, Paginator(first if len(first) <= size else rows, size))
