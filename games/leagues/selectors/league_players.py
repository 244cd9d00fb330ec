"""A player's leagues: seasons, games, ratings and reliability."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.names import alphabetical
from games.leagues import ratings as computed
from games.leagues.models import (
    League,
    LeagueTable,
    OpenSeat,
    Rating,
    Registration,
    Season,
    SeatAssignment,
    Standing,
    Substitute,
)
from games.leagues.models.rounds import BEST_FIRST
from games.leagues.results import facts_of
from games.leagues.scoring import How, TableFacts, wins_of
from games.leagues.selectors.league_tables import TableView, table_views
from games.leagues.selectors.standings import about_points
from games.leagues.selectors.text import as_people_read, names_in
from games.models import Table

MOST_RATINGS = 1000
MOST_RESULTS = 1000
MOST_RIVALS = 30


@dataclass(frozen=True)
class RatingRow:
    """A player's rating as a list shows it."""

    person: User
    edition: str
    value: computed.Rating

    @property
    def text(self) -> str:
        """Return the rating with its uncertainty."""
        return f"{self.value.shown}\u00a0±\u00a0{self.value.uncertainty}"


def rating_row(rating: Rating) -> RatingRow:
    """Return the row of a rating."""
    value = computed.Rating(rating.mu, rating.sigma, rating.tables)
    return RatingRow(rating.user, rating.edition, value)


def ratings_of(edition: str) -> QuerySet[Rating]:
    """Return the thousand best ratings, best first, without closed accounts."""
    people = Rating.objects.filter(edition=edition, user__deleted_at=None).select_related("user")
    return people.order_by(BEST_FIRST, "user")[:MOST_RATINGS]


# A player's page. It leaves out running games, because whose decision is pending may be secret (R17).


OVER = Table.State.FINISHED
SHOWN = (
    Registration.State.EXPECTED,
    Registration.State.SIGNED_UP,
    Registration.State.WAITING,
    Registration.State.CONFIRMED,
    Registration.State.PLAYING,
    Registration.State.WITHDRAWN,
    Registration.State.EXPELLED,
)


@dataclass(frozen=True)
class EntryRow:
    """A season that the player was in, and their final standing."""

    entry: Registration
    standing: Standing | None

    @property
    def season(self) -> Season:
        return self.entry.season

    @property
    def text(self) -> str:
        """Return the final place, or the state of the registration."""
        words = {"place": self.standing.place if self.standing else 0, "division": self.letter}
        if self.entry.is_out or self.standing is None:
            return str(self.entry.get_state_display())
        if self.letter:
            # Translators: place is a rank, such as 3; division is its letter, such as B
            return _("Place %(place)d in division %(division)s") % words
        # Translators: place is a rank in the final standings, such as 3
        return _("Place %(place)d") % words

    @property
    def points(self) -> str:
        """Return the final points as a phrase, with the average per table; empty before the season's end."""
        if self.standing is None or not self.standing.tables:
            return ""
        words = {
            "points": about_points(Fraction(self.standing.points)),
            "average": as_people_read(Fraction(self.standing.average)),
        }
        # Translators: points is a number with its noun, such as 13 points; average is a number
        return _("%(points)s, %(average)s per table") % words

    @property
    def letter(self) -> str:
        """Return the letter of the player's division; empty if the season can have only one."""
        division = self.entry.division
        return division.letter if division and self.season.most_divisions > 1 else ""


# Results at finished tables. They count for players who held their seat from start to end.


@dataclass
class Rival:
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
    rivals: tuple[Rival, ...]  # most often met first

    @property
    def tables(self) -> int:
        return len(self.places)

    @property
    def average_place(self) -> Fraction:
        return Fraction(sum(self.places), max(self.tables, 1))


def _results(at_tables: Sequence[TableFacts], player: User, leagues: Collection[int]) -> Results:
    """Return the player's results at these tables, in two queries."""
    places, victories, met = [], Fraction(0), defaultdict[int, list[int]](list)
    for table in at_tables:
        seats = [seat for seat in table.seats if len({holder.player for holder in seat.holders}) == 1]
        own = next((seat for seat in seats if seat.seated == player.pk), None)
        if own is not None and table.how != How.ABANDONED:
            places.append(own.place)
            victories += wins_of(own, table)
            for seat in seats:
                met[seat.seated or 0].append(seat.place - own.place)
    met.pop(player.pk, None)
    return Results(tuple(places), victories, _rivals(met, leagues))


def _facts(player: User, leagues: QuerySet[League]) -> list[tuple[TableFacts, int]]:
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


def _rivals(met: Mapping[int, Sequence[int]], leagues: Collection[int]) -> tuple[Rival, ...]:
    """Return the players most often met, given how far behind the player they came at each table."""
    often = sorted(met, key=lambda other: (-len(met[other]), other))[:MOST_RIVALS]
    people = User.objects.filter(deleted_at=None).in_bulk(often)
    names = names_in(leagues, people.values())
    return tuple(
        [
            Rival(
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


@dataclass(frozen=True)
class PlayerPage:
    """A player as one reader may see them.

    It covers only leagues that the reader may read.
    """

    player: User
    entries: tuple[EntryRow, ...]
    results: Results
    tables: tuple[tuple[TableView, str], ...]  # with the player's own result
    helps: tuple[Season, ...]  # unfinished seasons in which they are a substitute
    ratings: tuple[RatingRow, ...]
    reliability: Reliability

    @cached_property
    def is_empty(self) -> bool:
        """Return whether there is nothing that the reader may see."""
        return not (self.entries or self.tables or self.helps or self.reliability.helped)


def player_page(
    player: User, reader: User | None, leagues: QuerySet[League], tables: Iterable[int]
) -> PlayerPage:
    """Return the player's page for these leagues, with the given tables, in a fixed number of queries."""
    shown = table_views(LeagueTable.objects.filter(pk__in=list(tables)), reader)
    found = _facts(player, leagues)
    facts = [one for one, _league in found]
    newest_first = sorted(shown, key=lambda view: (view.row.begins_at, view.row.pk), reverse=True)
    ratings = Rating.objects.filter(user=player).select_related("user").order_by("edition")
    return PlayerPage(
        player,
        tuple(_entries(player, leagues)),
        _results(facts, player, {league for _table, league in found}),
        tuple([(view, _own_result(view, player)) for view in newest_first]),
        tuple(_helps(player, leagues)),
        tuple([rating_row(rating) for rating in ratings]),
        _reliability(player, leagues, facts),
    )


def _own_result(view: TableView, player: User) -> str:
    """Return the player's place and points at a table; empty until its result is counted."""
    own = next((seat for seat in view.seats if seat.person.pk == player.pk and seat.points), None)
    if own is None:
        return ""
    why = next((held.why for held in own.held if held.person == player), own.why)
    return f"{own.place} · {why}" if own.place else why


def tables_of(player: User, leagues: QuerySet[League]) -> QuerySet[LeagueTable, int]:
    """Return the primary keys of tables that have begun with this player, newest first."""
    seated = SeatAssignment.objects.filter(entry__user=player).values("table")
    tables = LeagueTable.objects.filter(
        pk__in=seated, table__isnull=False, round__division__season__league__in=leagues
    )
    return tables.order_by("-begins_at", "-pk").values_list("pk", flat=True)


def _entries(player: User, leagues: QuerySet[League]) -> list[EntryRow]:
    entries = Registration.objects.filter(user=player, season__league__in=leagues, state__in=SHOWN)
    found = entries.select_related("season__league", "division", "standing").order_by(
        "-season__begins_at", "-pk"
    )
    return [EntryRow(entry, getattr(entry, "standing", None)) for entry in found]


def _helps(player: User, leagues: QuerySet[League]) -> QuerySet[Season]:
    helping = Substitute.objects.filter(user=player, stopped_at=None).values("season")
    seasons = Season.objects.filter(pk__in=helping, league__in=leagues).select_related("league")
    return seasons.exclude(state__in=Season.OVER).order_by("pk")


def _reliability(player: User, leagues: QuerySet[League], at_tables: Sequence[TableFacts]) -> Reliability:
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


# The all-time table of a league


@dataclass(frozen=True)
class AllTimeRow:
    """What a player's finished seasons of a league came to."""

    person: User
    name: str
    seasons: int
    tables: int
    victories: Fraction
    points: Fraction  # at tables, without byes
    titles: int

    @property
    def average(self) -> Fraction:
        """Return the points per table."""
        return self.points / max(self.tables, 1)


def all_time_table(league: League) -> list[AllTimeRow]:
    """Return the players of finished seasons in two queries: by titles, then victories, then name.

    Closed accounts are left out.
    """
    found = Standing.objects.filter(division__season__league=league, entry__user__deleted_at=None)
    by_player = defaultdict[User, list[Standing]](list)
    for standing in found.select_related("entry__user", "division"):
        by_player[standing.entry.user].append(standing)
    names = names_in([league.pk], by_player)
    rows = [_all_time_row(player, names[player.pk], kept) for player, kept in by_player.items()]
    return sorted(rows, key=lambda row: (-row.titles, -row.victories, alphabetical(row.name)))


def _all_time_row(player: User, name: str, kept: Sequence[Standing]) -> AllTimeRow:
    return AllTimeRow(
        player,
        name,
        len(kept),
        sum([one.tables for one in kept]),
        sum([Fraction(one.victories) for one in kept], Fraction(0)),
        sum([one.tables * Fraction(one.average) for one in kept], Fraction(0)),
        sum([one.place == 1 and one.division.level == 1 for one in kept]),
    )
