"""A player's leagues: seasons, games, ratings and reliability."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.db.models import Case, Count, Exists, OuterRef, Q, QuerySet, Subquery, When
from django.utils.translation import gettext as _

from accounts.models import User
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
from games.leagues.scoring import How
from games.leagues.selectors.league_tables import TableView, table_views
from games.leagues.selectors.standings import about_points
from games.leagues.selectors.text import as_people_read, names_in
from games.models import LogEntry, Seat, SeatChange, Table
from games.rulebook import edition_name
from games.services.moves import OWN_TURNS

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

    @property
    def game(self) -> str:
        """Return the name of the edition."""
        return edition_name(self.edition)


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
    victories: Fraction
    rivals: tuple[Rival, ...]  # most often met first

    @property
    def tables(self) -> int:
        return len(self.places)

    @property
    def won(self) -> str:
        """Return the number of victories; shared ones count for their share."""
        return as_people_read(self.victories)

    @property
    def average_place(self) -> str:
        return as_people_read(Fraction(sum(self.places), max(self.tables, 1)))


_Place = tuple[int, int, Fraction]  # player, place, victory or share of one


def _results(player: User, leagues: QuerySet[League]) -> Results:
    """Return the player's results at the tables of these leagues that are over, in three queries."""
    tables = LeagueTable.objects.filter(
        assignments__entry__user=player, table__state=OVER, round__division__season__league__in=leagues
    )
    found = tables.order_by("-pk").values_list("facts", "round__division__season__league")[:MOST_RESULTS]
    at_tables = [
        (_places(facts), league) for facts, league in found if facts and facts["how"] != How.ABANDONED
    ]
    places, victories, met = [], Fraction(0), defaultdict[int, list[int]](list)
    for seats, _league in at_tables:
        for _player, own, won in [seat for seat in seats if seat[0] == player.pk]:
            places.append(own)
            victories += won
            for other, place, _won in seats:
                met[other].append(place - own)
    met.pop(player.pk, None)
    return Results(tuple(places), victories, _rivals(met, {league for _seats, league in at_tables}))


def _places(facts: Mapping[str, Any]) -> list[_Place]:
    """Return the seats of a table that one player held from start to end."""
    winners = sum([seat["won"] for seat in facts["seats"]])
    held = [({player for player, _turns in seat["holders"]}, seat) for seat in facts["seats"]]
    return [
        (player, seat["place"], Fraction(seat["won"], winners or 1))
        for players, seat in held
        for player in players
        if len(players) == 1 and player is not None
    ]


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
    newest_first = sorted(shown, key=lambda view: view.row.pk, reverse=True)
    ratings = Rating.objects.filter(user=player).select_related("user").order_by("edition")
    return PlayerPage(
        player,
        tuple(_entries(player, leagues)),
        _results(player, leagues),
        tuple([(view, _own_result(view, player)) for view in newest_first]),
        tuple(_helps(player, leagues)),
        tuple([rating_row(rating) for rating in ratings]),
        _reliability(player, leagues),
    )


def _own_result(view: TableView, player: User) -> str:
    """Return the player's place and points at a table; empty until its result is counted."""
    own = next((seat for seat in view.seats if seat.person.pk == player.pk and seat.points), None)
    return " · ".join([text for text in (own.place, own.why) if text]) if own else ""


def tables_of(player: User, leagues: QuerySet[League]) -> QuerySet[LeagueTable, int]:
    """Return the primary keys of tables at which the player was seated, newest first."""
    seated = SeatAssignment.objects.filter(entry__user=player).values("table")
    tables = LeagueTable.objects.filter(pk__in=seated, round__division__season__league__in=leagues)
    return tables.filter(table__isnull=False).order_by("-pk").values_list("pk", flat=True)


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


def _reliability(player: User, leagues: QuerySet[League]) -> Reliability:
    in_time, missed = _answers(player, leagues)
    seats = OpenSeat.objects.filter(table__round__division__season__league__in=leagues)
    # At a running anonymous table, a seat that was left would reveal who sat in it.
    seats = seats.exclude(table__table__in=Table.objects.filter(is_anonymous=True).exclude(state=OVER))
    is_back = Q(why=OpenSeat.Why.AWAY, state=OpenSeat.State.CLOSED)
    counted = seats.filter(Q(left_by=player) | Q(taken_by=player)).aggregate(
        left=Count("pk", filter=Q(left_by=player) & ~is_back),
        helped=Count("pk", filter=Q(taken_by=player)),
    )
    return Reliability(in_time, missed, counted["left"], counted["helped"])


def _answers(player: User, leagues: QuerySet[League]) -> tuple[int, int]:
    """Return (own answers, default moves by the clock) for the player at finished tables."""
    entries = LogEntry.objects.filter(
        game__table__in=list(_tables_held(player, leagues)), via__in=(*OWN_TURNS, LogEntry.Via.CLOCK)
    )
    held = entries.annotate(holder=_holder()).filter(holder=player.pk).order_by()
    own = Q(via__in=OWN_TURNS)
    counted = held.aggregate(own=Count("pk", filter=own), clock=Count("pk", filter=~own))
    return counted["own"], counted["clock"]


def _tables_held(player: User, leagues: QuerySet[League]) -> QuerySet[LeagueTable, Any]:
    """Return the finished tables of these leagues at which the player has or had a seat."""
    changed = SeatChange.objects.filter(Q(before=player) | Q(after=player)).order_by().values("game__table")
    held = Seat.objects.filter(user=player).order_by().values("table").union(changed)
    of_leagues = LeagueTable.objects.filter(round__division__season__league__in=leagues)
    return of_leagues.filter(table__in=held, table__state=OVER).values_list("table", flat=True)


def _holder() -> Case:
    """Return an expression for the player who held the seat at a log entry.

    It is the player replaced in the next seat change, or the present one if there is none.
    """
    later = Q(game=OuterRef("game"), ply__gt=OuterRef("ply")) | Q(
        game__table=OuterRef("game__table"), game__number__gt=OuterRef("game__number")
    )
    changes = SeatChange.objects.filter(later, seat=OuterRef("seat")).order_by("game__number", "ply", "pk")
    now = Seat.objects.filter(table=OuterRef("game__table"), number=OuterRef("seat"))
    return Case(
        When(Exists(changes), then=Subquery(changes.values("before")[:1])),
        default=Subquery(now.values("user")[:1]),
    )


# The all-time table of a league: everyone who was in a finished season


@dataclass(frozen=True)
class AllTimeRow:
    """What a player's finished seasons of a league came to."""

    player: int
    seasons: int
    tables: int
    victories: Fraction
    points: Fraction  # at tables, without byes
    titles: int

    @property
    def won(self) -> str:
        return as_people_read(self.victories)

    @property
    def average(self) -> str:
        """Return the points per table."""
        return as_people_read(self.points / max(self.tables, 1))


def all_time_table(league: League) -> list[AllTimeRow]:
    """Return the league's players, those with most titles first and then those with most victories.

    Closed accounts are left out.
    """
    found = Standing.objects.filter(division__season__league=league, entry__user__deleted_at=None)
    places = defaultdict[int, list[Standing]](list)
    for standing in found.select_related("entry", "division"):
        places[standing.entry.user_id].append(standing)
    rows = [_all_time_row(player, standings) for player, standings in places.items()]
    return sorted(rows, key=lambda row: (-row.titles, -row.victories, row.tables, row.player))


def _all_time_row(player: int, standings: Sequence[Standing]) -> AllTimeRow:
    won = [one for one in standings if one.place == 1 and one.division.level == 1]
    return AllTimeRow(
        player,
        len(standings),
        sum([one.tables for one in standings]),
        sum([Fraction(one.victories) for one in standings], Fraction(0)),
        sum([one.tables * Fraction(one.average) for one in standings], Fraction(0)),
        len(won),
    )


def with_names(rows: Sequence[AllTimeRow], league: League) -> list[tuple[AllTimeRow, User, str]]:
    """Return these rows with the players and their names in the league."""
    people = User.objects.in_bulk([row.player for row in rows])
    names = names_in([league.pk], people.values())
    return [(row, people[row.player], names[row.player]) for row in rows]
