"""The people at tables that look for players, and how reliable they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from accounts.models import User
from games.models import Seat, Table
from games.selectors.seen_to_the_end import SeenToTheEnd, seen_to_the_end


class LobbyPerson(NamedTuple):
    """Someone at a table, and how many of their finished games they saw to the end."""

    seat: Seat
    kept: SeenToTheEnd


def people_at(tables: Iterable[Table], reader: User | None) -> Mapping[int, list[LobbyPerson]]:
    """Return the people at each of these tables whose games the reader may know, by table, in three queries.

    No one at an anonymous table is among them, nor who hides their page or has no finished game.
    """
    named = {table.pk: table for table in tables if not table.is_anonymous}
    seats = Seat.objects.people().filter(table__in=named, user__is_active=True, user__hides_page=False)
    found = list(seats.order_by("table", "number")) if named else []
    kept = seen_to_the_end({seat.person.pk for seat in found}, reader) if found else {}
    people: dict[int, list[LobbyPerson]] = {}
    for seat in found:
        seat.table = named[seat.table_id]
        if kept[seat.person.pk].games:
            people.setdefault(seat.table_id, []).append(LobbyPerson(seat, kept[seat.person.pk]))
    return people
