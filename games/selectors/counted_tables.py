"""The finished tables that count on people's pages, as far as one reader may know them.

Running games never count, because whose decision is pending may be secret (R17).
"""

from __future__ import annotations

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from accounts.models import User
from games.models import Game, Seat, SeatChange, Table, TableQuerySet

_FEWEST = 2  # seats that people have held: a game of one person against bots is practice


def counted_tables(reader: User | None) -> TableQuerySet:
    """Return the finished tables of several people that this reader may know.

    Everyone may know tables that anyone may watch; of the others, only people who played there. The names at
    anonymous tables are shown once these have finished.
    """
    had_a_person = SeatChange.objects.filter(
        game__table=OuterRef("table"), seat=OuterRef("number"), before__isnull=False
    )
    of_people = Seat.objects.filter(Q(user__isnull=False) | Exists(had_a_person), table=OuterRef("pk"))
    counted = of_people.order_by().values("table").annotate(number_of=Count("pk")).values("number_of")
    tables = Table.objects.filter(state=Table.State.FINISHED).alias(of_people=Subquery(counted))
    tables = tables.filter(of_people__gte=_FEWEST)
    is_public = Q(watch=Table.Watch.ANYONE)
    return tables.filter(is_public if reader is None else is_public | Q(pk__in=_tables_of(reader)))


def counted_games(person: User, reader: User | None) -> QuerySet[Game]:
    """Return the games of those tables at which this person has, or had, a seat, the latest first."""
    tables = counted_tables(reader).filter(pk__in=_tables_of(person))
    games = Game.objects.filter(table__in=tables.order_by().values("pk"), ended_at__isnull=False)
    return games.order_by("-ended_at", "-pk")


def _tables_of(person: User) -> QuerySet[Seat, tuple[int]]:
    """Return the numbers of the tables at which this person has, or had, a seat."""
    seats = Seat.objects.filter(user=person).order_by().values_list("table")
    changes = SeatChange.objects.filter(Q(before=person) | Q(after=person)).order_by()
    return seats.union(changes.values_list("game__table"))
