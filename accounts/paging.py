"""Pages of lists that read no more rows than they show: how many pages there are is never counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)
_MOST_DIGITS = 6


@dataclass(frozen=True)
class ListPage(Generic[Row]):
    """A page of a list, and whether another follows."""

    rows: list[Row]
    number: int
    size: int
    has_next: bool

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def has_previous(self) -> bool:
        return self.number > 1

    @property
    def has_other_pages(self) -> bool:
        return self.has_next or self.has_previous

    @property
    def next_page_number(self) -> int:
        return self.number + 1

    @property
    def previous_page_number(self) -> int:
        return self.number - 1

    @property
    def start_index(self) -> int:
        """The place of its first row in the whole list, from 1."""
        return (self.number - 1) * self.size + 1


def page_of(rows: QuerySet[Row] | Sequence[Row], number: str | None, size: int) -> ListPage[Row]:
    """Return the page with this number; the first if there is none."""
    wanted = _read_number(number)
    found = list(rows[(wanted - 1) * size : wanted * size + 1])  # one more tells whether a page follows
    if wanted > 1 and not found:
        return page_of(rows, None, size)
    return ListPage(found[:size], wanted, size, has_next=len(found) > size)


def _read_number(text: str | None) -> int:
    if text is None or not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        return 1
    return max(int(text), 1)
