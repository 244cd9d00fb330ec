"""How many of their finished games people saw to the end, for pages and lists of tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from django.db.models import Count

from accounts.models import User
from games.models import Seat, SeatChange
from games.selectors.counted_tables import counted_tables


class SeenToTheEnd(NamedTuple):
    """The number of a person's finished games, and of those that they saw to the end; a match is one game."""

    seen: int = 0
    games: int = 0


def seen_to_the_end(people: Collection[int], reader: User | None) -> Mapping[int, SeenToTheEnd]:
    """Return how many games each of these people saw to the end, in two queries.

    Only tables that the reader may know count. Someone saw a game to the end if they had their seat then, and
    no bot played for them.
    """
    tables = counted_tables(reader).order_by().values("pk")
    kept = Seat.objects.filter(user__in=people, table__in=tables).order_by()
    here = [
        (user or 0, bool(played_by_bot), count)
        for user, played_by_bot, count in kept.values_list("user", "played_by_bot").annotate(Count("pk"))
    ]
    left = dict(
        SeatChange.objects.filter(before__in=people, game__table__in=tables)
        .order_by()
        .values_list("before")
        .annotate(Count("game__table", distinct=True))
    )
    return {
        person: SeenToTheEnd(
            sum([count for user, is_away, count in here if user == person and not is_away]),
            sum([count for user, _is_away, count in here if user == person]) + left.get(person, 0),
        )
        for person in people
    }
