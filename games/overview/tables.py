"""Tables that look for players, as rows of values, and the seats that may be taken in running games."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from accounts.composed import rows
from accounts.models import Block, User
from accounts.names import shown_name
from games.models import Seat, Table
from games.overview.statements import Span, composed, instant
from games.telling.told_times import time_since

_WITH = "board.host_id = {who} OR {who} IN (SELECT user_id FROM games_seat WHERE table_id = board.id)"
# Not the tables of people who block the reader, or whom he blocks; who sits at an anonymous table is not told
# to somebody who blocks one after the other.
_OPEN = composed(
    """board.state = 'gathering' AND board.entry = 'open'
  AND NOT EXISTS (SELECT 1 FROM accounts_block WHERE whom_id = %(reader)s AND ({with_blocker}))
  AND (board.is_anonymous OR NOT EXISTS (
    SELECT 1 FROM accounts_block WHERE by_id = %(reader)s AND ({with_blocked})))""",
    with_blocker=composed(_WITH, who="by_id"),
    with_blocked=composed(_WITH, who="whom_id"),
)
_TABLES = """
SELECT board.id, board.join_key, board.name, board.note, board.size, COUNT(seat.id), board.pace,
  CAST(board.options_json AS text), board.target, board.watch, board.talk, board.is_anonymous,
  host.name, host.deleted_at IS NOT NULL, board.created_at, board.closes_at
FROM games_table AS board LEFT JOIN games_seat AS seat ON seat.table_id = board.id
LEFT JOIN accounts_user AS host ON host.id = board.host_id
WHERE {which} ORDER BY {order} LIMIT %(length)s OFFSET %(start)s
"""
_ALL_OPEN = composed(
    _TABLES,
    which=f"{_OPEN} GROUP BY board.id, host.id HAVING COUNT(seat.id) < board.size",
    order="board.created_at, board.id",
)
_MINE = composed(
    _TABLES,
    which="""board.state = 'gathering'
  AND EXISTS (SELECT 1 FROM games_seat WHERE table_id = board.id AND user_id = %(reader)s)
GROUP BY board.id, host.id""",
    order="board.id",
)
_HOLDS = composed(
    """
SELECT (SELECT COUNT(*) FROM games_table AS board
   WHERE {is_open} AND board.size > (SELECT COUNT(*) FROM games_seat WHERE table_id = board.id)),
  EXISTS (SELECT 1 FROM games_seat AS seat JOIN games_table AS board ON board.id = seat.table_id
   WHERE seat.stand_in <> '' AND board.entry = 'open' AND board.state = 'playing'
     AND board.absent = 'offer')
""",
    is_open=_OPEN,
)


class TableRow(NamedTuple):
    """A table whose game has not begun, and all from which its terms are told."""

    pk: int
    join_key: str  # the way in for who may not see the table's own page; empty for a member
    name: str
    note: str
    size: int
    taken: int
    pace: str
    options: str  # as they are stored
    target: int | None
    watch: str
    talk: str
    is_anonymous: bool
    host: str
    since: str  # how long it has looked for players
    closes_at: datetime

    @property
    def free(self) -> int:
        return self.size - self.taken

    @property
    def chairs(self) -> list[bool]:
        """One for each seat: whether somebody has it."""
        return [number < self.taken for number in range(self.size)]

    @property
    def table(self) -> Table:
        """The table as far as its terms are told in a list."""
        return Table(
            size=self.size,
            pace=self.pace,
            options_json=json.loads(self.options),
            target=self.target,
            watch=self.watch,
            talk=self.talk,
            is_anonymous=self.is_anonymous,
        )


class LobbyHolds(NamedTuple):
    """How many tables look for players, and whether there are seats in running games."""

    tables: int
    has_offers: bool


def lobby_holds(reader: User | None = None) -> LobbyHolds:
    """In one query."""
    tables, has_offers = rows(_HOLDS, reader=reader.pk if reader else None)[0]
    return LobbyHolds(tables, bool(has_offers))


def open_tables(span: Span, reader: User | None = None) -> list[TableRow]:
    """Tables with a free chair for the reader, the oldest first; a stranger is led to the way in."""
    found = rows(_ALL_OPEN, reader=reader.pk if reader else None, start=span.start, length=span.length)
    return [_row(row, to_member=reader is not None) for row in found]


def tables_of(reader: User, span: Span) -> list[TableRow]:
    """The tables at which the reader has a seat and whose game has not begun, the oldest first."""
    found = rows(_MINE, reader=reader.pk, start=span.start, length=span.length)
    return [_row(row, to_member=True) for row in found]


def _row(found: tuple[Any, ...], *, to_member: bool) -> TableRow:
    pk, join_key, *terms, host, host_is_deleted, created_at, closes_at = found
    name, note, size, taken, pace, options, target, watch, talk, is_anonymous = terms
    return TableRow(
        pk,
        "" if to_member else join_key,
        name,
        note,
        size,
        taken,
        pace,
        options,
        target,
        watch,
        talk,
        bool(is_anonymous),
        shown_name(host, is_deleted=bool(host_is_deleted)) if host is not None else "",
        time_since(instant(created_at)),
        instant(closes_at),
    )


def offered_seats(reader: User | None = None) -> QuerySet[Seat]:
    """The seats of players who stay away that the reader may take, at tables open to anyone; the oldest
    first. As with open tables, not those among people who block him, or whom he blocks."""
    absent = Seat.objects.filter(user__isnull=False).exclude(stand_in="")
    open_to_all = absent.filter(
        table__entry=Table.Entry.OPEN, table__state=Table.State.PLAYING, table__absent=Table.Absent.OFFER
    )
    return _without_blocks(open_to_all, reader).select_related("table", "user").order_by("pk")


def _without_blocks(seats: QuerySet[Seat], reader: User | None) -> QuerySet[Seat]:
    if reader is None:
        return seats
    blocking = User.objects.filter(blocks__whom=reader)
    blocked = User.objects.filter(pk__in=Block.objects.filter(by=reader).values("whom"))
    against = _tables_with(blocking) | _tables_with(blocked).filter(is_anonymous=False)
    return seats.exclude(table__in=against)


def _tables_with(people: QuerySet[User]) -> QuerySet[Table]:
    """Where one of these people sits, or is the host."""
    return Table.objects.filter(
        Q(host__in=people) | Q(pk__in=Seat.objects.filter(user__in=people).values("table"))
    )
