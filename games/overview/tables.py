"""Tables that look for players, and the seats that may be taken in running games."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import Block, User
from games.models import Seat, Table


def open_tables(reader: User | None = None) -> QuerySet[Table]:
    """Tables open to anyone with a free chair for the reader, the oldest first.

    Not the tables of people who block the reader, or whom they block; who sits at an anonymous table is not
    told to somebody who blocks one after the other.
    """
    found = Table.objects.gathering().annotate_taken().filter(entry=Table.Entry.OPEN, free__gt=0)  # type: ignore[misc]
    if reader is not None:
        found = found.exclude(_is_against(reader, table="pk", host="host", is_anonymous="is_anonymous"))
    return found.select_related("host").order_by("created_at", "pk")


def tables_of(reader: User) -> QuerySet[Table]:
    """The tables at which the reader has a seat and whose game has not begun, the oldest first."""
    return Table.objects.gathering().of(reader).annotate_taken().select_related("host").order_by("pk")


def offered_seats(reader: User | None = None) -> QuerySet[Seat]:
    """The seats of players who stay away that the reader may take, at tables open to anyone; the oldest
    first. As with open tables, not those among people who block the reader, or whom they block."""
    absent = Seat.objects.filter(user__isnull=False).exclude(stand_in="")
    open_to_all = absent.filter(
        table__entry=Table.Entry.OPEN, table__state=Table.State.PLAYING, table__absent=Table.Absent.OFFER
    )
    if reader is not None:
        columns = {"host": "table__host", "is_anonymous": "table__is_anonymous"}
        open_to_all = open_to_all.exclude(_is_against(reader, table="table", **columns))
    return open_to_all.select_related("table", "user").order_by("pk")


def _is_against(reader: User, *, table: str, host: str, is_anonymous: str) -> Q:
    """Whether the host or somebody else at a row's table blocks the reader, or is blocked. Looked at row by
    row, for a list shows few of all tables; the rest names the row's columns."""
    seats = Seat.objects.filter(table=OuterRef(table))
    block = Block.objects.filter(by=reader)
    blocking = Exists(Block.objects.filter(whom=reader, by=OuterRef(host))) | Exists(
        seats.filter(user__blocks__whom=reader)
    )
    blocked = Exists(block.filter(whom=OuterRef(host))) | Exists(seats.filter(user__in=block.values("whom")))
    return Q(blocking) | Q(blocked, **{is_anonymous: False})
