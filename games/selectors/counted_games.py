"""The finished games of a person that one reader may know: what their page is made from.

Running games never count, because whose decision is pending may be secret (R17).
"""

from __future__ import annotations

from django.db.models import Q, QuerySet

from accounts.models import User
from games.models import Game, Seat, SeatChange, Table


def counted_games(person: User, reader: User | None) -> QuerySet[Game]:
    """Return the finished games that this person played in and the reader may know, the latest first.

    Everyone may know games that anyone may watch; other games, only people who played at their table. At an
    anonymous table games count once the names are shown. Practice does not count.
    """
    games = Game.objects.filter(
        table__in=_tables_of(person), ended_at__isnull=False, copied__isnull=True, table__practice_key=None
    )
    games = games.exclude(
        table__in=Table.objects.filter(is_anonymous=True).exclude(state=Table.State.FINISHED)
    )
    if reader is None:
        games = games.filter(anyone_watches=True)
    elif reader != person:
        games = games.filter(Q(anyone_watches=True) | Q(table__in=_tables_of(reader)))
    return games.order_by("-ended_at", "-pk")


def _tables_of(person: User) -> QuerySet[Seat, tuple[int]]:
    """Return the numbers of the tables at which this person has, or had, a seat."""
    seats = Seat.objects.filter(user=person).order_by().values_list("table")
    changes = SeatChange.objects.filter(Q(before=person) | Q(after=person)).order_by()
    return seats.union(changes.values_list("game__table"))
