"""What a player's finished tables came to: places, victories, rivals and reliability.

Places and victories count only for players who held their seat from start to end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.db.models import Count, Q, QuerySet

from accounts.models import User
from games.leagues.models import League, LeagueTable, OpenSeat, SeatAssignment
from games.leagues.results.stored_facts import facts_of
from games.leagues.scoring.table_facts import TableEnding, TableFacts
from games.leagues.scoring.table_points import wins_of
from games.leagues.selectors.names_in_leagues import names_in
from games.models import Table

MOST_RESULTS = 1000
MOST_RIVALS = 30
OVER = Table.State.FINISHED


@dataclass
class PlayerRival:
    """Another player, and at how many shared tables the player came before, after or level with them."""

    person: User
    name: str
    ahead: int = 0
    behind: int = 0
    level: int = 0

    @property
    def tables(self) -> int:
        return self.ahead + self.behind + self.level


@dataclass(frozen=True)
class Results:
    """What a player's finished tables came to."""

    places: tuple[int, ...]
    victories: Fraction  # shared ones count for their share
    rivals: tuple[PlayerRival, ...]  # most often met first

    @property
    def tables(self) -> int:
        return len(self.places)

    @property
    def average_place(self) -> Fraction:
        return Fraction(sum(self.places), max(self.tables, 1))


def results_of(at_tables: Sequence[TableFacts], player: User, leagues: Collection[int]) -> Results:
    """Return the player's results at these tables, in two queries."""
    places, victories, met = [], Fraction(0), defaultdict[int, list[int]](list)
    for table in at_tables:
        seats = [seat for seat in table.seats if len({holder.player for holder in seat.holders}) == 1]
        own = next((seat for seat in seats if seat.seated == player.pk), None)
        if own is not None and table.how != TableEnding.ABANDONED:
            places.append(own.place)
            victories += wins_of(own, table)
            for seat in seats:
                met[seat.seated or 0].append(seat.place - own.place)
    met.pop(player.pk, None)
    return Results(tuple(places), victories, _rivals(met, leagues))


def facts_of_player(player: User, leagues: QuerySet[League]) -> list[tuple[TableFacts, int]]:
    """Return the newest tables that are over at which the player held a seat, each with its league."""
    seated = SeatAssignment.objects.filter(entry__user=player).order_by().values("table")
    helped = OpenSeat.objects.filter(taken_by=player).order_by().values("table")
    tables = LeagueTable.objects.filter(
        pk__in=seated.union(helped),
        facts__isnull=False,
        table__state=OVER,
        round__division__season__league__in=leagues,
    )
    rows = tables.select_related("round__division__season").prefetch_related("awards").order_by("-pk")
    return [(facts_of(row), row.round.division.season.league_id) for row in rows[:MOST_RESULTS]]


def _rivals(met: Mapping[int, Sequence[int]], leagues: Collection[int]) -> tuple[PlayerRival, ...]:
    """Return the players most often met, given how far behind the player they came at each table."""
    often = sorted(met, key=lambda other: (-len(met[other]), other))[:MOST_RIVALS]
    people = User.objects.filter(deleted_at=None).in_bulk(often)
    names = names_in(leagues, people.values())
    return tuple(
        [
            PlayerRival(
                people[other],
                names[other],
                sum([gap > 0 for gap in met[other]]),
                sum([gap < 0 for gap in met[other]]),
                met[other].count(0),
            )
            for other in often
            if other in people
        ]
    )


@dataclass(frozen=True)
class Reliability:
    """How reliably a player answered in finished games, and how many seats they left or took over."""

    in_time: int
    missed: int
    left: int
    helped: int

    @property
    def answers(self) -> int:
        return self.in_time + self.missed

    @property
    def percent(self) -> int:
        """Return the percentage of answers in time, rounded down so that 100 means none missed."""
        return 100 * self.in_time // self.answers if self.answers else 0


def reliability_of(player: User, leagues: QuerySet[League], at_tables: Sequence[TableFacts]) -> Reliability:
    """Return how reliable the player was in these leagues, at the given finished tables, in one query."""
    seats = OpenSeat.objects.filter(table__round__division__season__league__in=leagues)
    # At a running anonymous table, a seat that was left would reveal who sat in it.
    seats = seats.exclude(table__table__in=Table.objects.filter(is_anonymous=True).exclude(state=OVER))
    is_back = Q(why=OpenSeat.Why.AWAY, state=OpenSeat.State.CLOSED)
    counted = seats.filter(Q(left_by=player) | Q(taken_by=player)).aggregate(
        left=Count("pk", filter=Q(left_by=player) & ~is_back),
        helped=Count("pk", filter=Q(taken_by=player)),
    )
    held = [holder for table in at_tables for seat in table.seats for holder in seat.holders]
    own = [holder for holder in held if holder.player == player.pk]
    in_time, missed = sum([holder.turns for holder in own]), sum([holder.missed for holder in own])
    return Reliability(in_time, missed, counted["left"], counted["helped"])
