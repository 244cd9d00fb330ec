"""Tables that look for players, and the seats that may be taken in running games."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from accounts.models import Block, User
from games.models import Seat, Table


def open_tables(reader: User | None = None) -> QuerySet[Table]:
    """Tables open to anyone with a free chair for the reader, the oldest first.

    Not the tables of people who block the reader, or whom they block; who sits at an anonymous table is not
    told to somebody who blocks one after the other.
    """
    found = Table.objects.gathering().annotate_taken().filter(entry=Table.Entry.OPEN, free__gt=0)  # type: ignore[misc]
    if reader is not None:
        found = found.exclude(pk__in=_tables_against(reader).values("pk"))
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
        open_to_all = open_to_all.exclude(table__in=_tables_against(reader))
    return open_to_all.select_related("table", "user").order_by("pk")


def _tables_against(reader: User) -> QuerySet[Table]:
    blocking = User.objects.filter(blocks__whom=reader)
    blocked = User.objects.filter(pk__in=Block.objects.filter(by=reader).values("whom"))
    return _tables_with(blocking) | _tables_with(blocked).filter(is_anonymous=False)


def _tables_with(people: QuerySet[User]) -> QuerySet[Table]:
    """Where one of these people sits, or is the host."""
    return Table.objects.filter(
        Q(host__in=people) | Q(pk__in=Seat.objects.filter(user__in=people).values("table"))
    )
