"""Tables that gather players, and seats of absent players that anyone may take."""

from __future__ import annotations

from datetime import datetime

from django.db.models import BooleanField, Exists, ExpressionWrapper, F, OuterRef, Q, QuerySet
from django.db.models.expressions import Combinable

from accounts.models import Block, User
from games.models import Seat, Table


def open_tables(reader: User | None = None) -> QuerySet[Table]:
    """Return tables open to anyone with a free seat for the reader, the oldest first.

    Tables of people who block the reader, or whom the reader blocks, are left out. An anonymous table stays
    in, if only the reader blocks. Otherwise blocking people one by one would reveal who sits there.
    """
    found = Table.objects.gathering().filter(entry=Table.Entry.OPEN)
    # Not by `taken__lt`: PostgreSQL would expect a third of all tables, and sort them to find the first few.
    found = found.annotate_taken().exclude(taken=F("size"))  # type: ignore[misc]  # annotated
    if reader is not None:
        found = found.filter(*_without_blocks(reader, table="pk", host="host", is_anonymous="is_anonymous"))
    return found.select_related("host").order_by("created_at", "pk")


def tables_opened(since: datetime, reader: User) -> QuerySet[Table]:
    """Return the tables that others opened since then and the reader may join, the oldest first."""
    own = Seat.objects.filter(table=OuterRef("pk"), user=reader)
    return open_tables(reader).exclude(Exists(own)).filter(created_at__gt=since)


def tables_of(reader: User) -> QuerySet[Table]:
    """Return the tables where the reader has a seat and the game has not begun, the oldest first."""
    return Table.objects.gathering().of(reader).annotate_taken().select_related("host").order_by("pk")


def offered_seats(reader: User | None = None) -> QuerySet[Seat]:
    """Return absent players' seats that the reader may take, at tables open to anyone, the oldest first.

    As with open tables, seats among people who block the reader, or whom the reader blocks, are left out.
    """
    absent = Seat.objects.filter(user__isnull=False).exclude(played_by_bot="")
    open_to_all = absent.filter(
        table__entry=Table.Entry.OPEN, table__state=Table.State.PLAYING, table__absent=Table.Absent.OFFER
    )
    if reader is not None:
        columns = {"host": "table__host", "is_anonymous": "table__is_anonymous"}
        open_to_all = open_to_all.filter(*_without_blocks(reader, table="table", **columns))
    return open_to_all.select_related("table", "user").order_by("pk")


def _without_blocks(reader: User, *, table: str, host: str, is_anonymous: str) -> tuple[Combinable, ...]:
    """Return conditions: neither the host nor a player at a row's table blocks the reader, or is blocked.

    Each is one NOT EXISTS, of which PostgreSQL knows that nearly all rows pass. So a list looks at the tables
    in their order, and stops when it has enough. `table`, `host` and `is_anonymous` name the row's columns.
    """
    blocking, blocked = Block.objects.filter(whom=reader), Block.objects.filter(by=reader)
    seats = Seat.objects.filter(table=OuterRef(table))
    named = ~Q(ExpressionWrapper(OuterRef(is_anonymous), BooleanField()))
    return (
        ~Exists(blocking.filter(by=OuterRef(host))),
        ~Exists(seats.filter(user__in=blocking.values("by"))),
        ~Exists(blocked.filter(named, whom=OuterRef(host))),
        ~Exists(seats.filter(named, user__in=blocked.values("whom"))),
    )
