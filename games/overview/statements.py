"""What the statements of this room have in common."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

# The messages at `board` that the reader has not read, in all circles that are his.
UNREAD = """
(SELECT COALESCE(SUM(circle.newest - COALESCE(
     (SELECT read_to FROM press_following WHERE circle_id = circle.id AND user_id = %(reader)s), 0)), 0)
   FROM press_circle AS circle WHERE circle.table_id = board.id AND (circle.kind <> 'private' OR EXISTS
     (SELECT 1 FROM press_member WHERE circle_id = circle.id AND user_id = %(reader)s)))
"""


class Span(NamedTuple):
    """Which rows of a list a page shows."""

    start: int
    length: int


def composed(statement: str, **parts: str) -> str:
    """A statement with these parts of statements in it, once for all: nothing that anybody typed."""
    return statement.format(**parts)


def instant(value: datetime | str) -> datetime:
    """An instant as PostgreSQL gives it, or as SQLite does: a text or a time, in UTC without saying so."""
    found = datetime.fromisoformat(value) if isinstance(value, str) else value
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def instant_or_none(value: datetime | str | None) -> datetime | None:
    return None if value is None else instant(value)
