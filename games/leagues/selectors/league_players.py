"""A player of the leagues: seasons, games, ratings and reliability."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
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
from games.leagues.selectors.league_tables import TableView, table_views
from games.models import LogEntry, Seat, SeatChange, Table
from games.rulebook import edition_name

SCALE = 40  # steps of a rating are shown so many times as large, for whole numbers to tell people apart

MOST_RATINGS = 1000


@dataclass(frozen=True)
class RatingRow:
    """Somebody's rating, as a list shows it."""

    person: User
    edition: str
    shown: int
    tables: int
    is_provisional: bool

    @property
    def told(self) -> str:
        """With a minus sign that is as wide as a digit."""
        return str(self.shown).replace("-", "\u2212")

    @property
    def game(self) -> str:
        """What the edition is called."""
        return edition_name(self.edition)


def rating_row(rating: Rating) -> RatingRow:
    """The number that is shown is what somebody is almost surely worth: newcomers begin at 0."""
    value = computed.Rating(rating.mu, rating.sigma, rating.tables)
    shown = round(SCALE * value.ordinal)
    return RatingRow(rating.user, rating.edition, shown, rating.tables, value.is_provisional)


def ratings_of(edition: str) -> QuerySet[Rating]:
    """The thousand best, the best first; nobody who has closed their account."""
    people = Rating.objects.filter(edition=edition, user__deleted_at=None).select_related("user")
    return people.order_by(BEST_FIRST, "user")[:MOST_RATINGS]


# Somebody as the leagues know him: his seasons, games, ratings, and how far he can be relied on. Only of
# leagues that the reader may read, and nothing of a game that still goes on: who was asked there may be
# secret (R17).


OVER = Table.State.FINISHED
OWN_WAYS = (LogEntry.Via.WEB, LogEntry.Via.LINK)
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
    """A season of his, and where he stood when it closed."""

    entry: Registration
    standing: Standing | None

    @property
    def season(self) -> Season:
        return self.entry.season

    @property
    def told(self) -> str:
        """What became of it."""
        words = {"place": self.standing.place if self.standing else 0, "division": self.letter}
        if self.entry.is_out:
            return str(self.entry.get_state_display())
        if self.standing is not None and self.letter:
            return _("place %(place)d in division %(division)s") % words
        if self.standing is not None:
            return _("place %(place)d") % words
        return str(self.entry.get_state_display())

    @property
    def letter(self) -> str:
        """His division, where there are several."""
        division = self.entry.division
        return division.letter if division and self.season.most_divisions > 1 else ""


@dataclass(frozen=True)
class Reliability:
    """How he answered in games that are over, and what he did about seats."""

    in_time: int
    missed: int
    left: int
    helped: int

    @property
    def answers(self) -> int:
        return self.in_time + self.missed

    @property
    def percent(self) -> int:
        """Of his answers, how many came in time; rounded down, so that only who missed none has a hundred."""
        return 100 * self.in_time // self.answers if self.answers else 0


@dataclass(frozen=True)
class PlayerPage:
    """Somebody for one reader."""

    player: User
    entries: tuple[EntryRow, ...]
    tables: tuple[TableView, ...]
    helps: tuple[Season, ...]  # that are not over, in which he takes seats others leave
    ratings: tuple[RatingRow, ...]
    reliability: Reliability

    @cached_property
    def is_empty(self) -> bool:
        """Whether the reader may know nothing of him from here."""
        return not (self.entries or self.tables or self.helps or self.reliability.helped)


def player_page(
    player: User, reader: User | None, leagues: QuerySet[League], tables: Iterable[int]
) -> PlayerPage:
    """What these leagues know of him, with those of his tables that are asked for. In a fixed number of
    queries."""
    shown = table_views(LeagueTable.objects.filter(pk__in=list(tables)), reader)
    ratings = Rating.objects.filter(user=player).select_related("user").order_by("edition")
    return PlayerPage(
        player,
        tuple(_entries(player, leagues)),
        tuple(sorted(shown, key=lambda view: (view.row.round.starts_at, view.row.pk), reverse=True)),
        tuple(_helps(player, leagues)),
        tuple([rating_row(rating) for rating in ratings]),
        _reliability(player, leagues),
    )


def tables_of(player: User, leagues: QuerySet[League]) -> QuerySet[LeagueTable, int]:
    """Those at which he was seated, the last ones first."""
    seated = SeatAssignment.objects.filter(entry__user=player).values("table")
    tables = LeagueTable.objects.filter(pk__in=seated, round__division__season__league__in=leagues)
    return tables.order_by("-round__starts_at", "-pk").values_list("pk", flat=True)


def _entries(player: User, leagues: QuerySet[League]) -> list[EntryRow]:
    entries = Registration.objects.filter(user=player, season__league__in=leagues, state__in=SHOWN)
    found = entries.select_related("season__league", "division", "standing").order_by(
        "-season__begins_at", "-pk"
    )
    return [EntryRow(entry, getattr(entry, "standing", None)) for entry in found]


def _helps(player: User, leagues: QuerySet[League]) -> QuerySet[Season]:
    helping = Substitute.objects.filter(user=player, stopped_at=None).values("season")
    seasons = Season.objects.filter(pk__in=helping, league__in=leagues).select_related("league")
    return seasons.exclude(state__in=(Season.State.CLOSED, Season.State.CALLED_OFF)).order_by("pk")


def _reliability(player: User, leagues: QuerySet[League]) -> Reliability:
    in_time, missed = _answers(player, leagues)
    seats = OpenSeat.objects.filter(table__round__division__season__league__in=leagues)
    # At an anonymous table a seat that was left would tell who sat in it.
    seats = seats.exclude(table__table__in=Table.objects.filter(is_anonymous=True).exclude(state=OVER))
    is_back = Q(why=OpenSeat.Why.AWAY, state=OpenSeat.State.CLOSED)
    counted = seats.filter(Q(left_by=player) | Q(taken_by=player)).aggregate(
        left=Count("pk", filter=Q(left_by=player) & ~is_back),
        helped=Count("pk", filter=Q(taken_by=player)),
    )
    return Reliability(in_time, missed, counted["left"], counted["helped"])


def _answers(player: User, leagues: QuerySet[League]) -> tuple[int, int]:
    """At tables that are over: his own answers, and those that the clock gave for him."""
    entries = LogEntry.objects.filter(
        game__table__in=list(_tables_held(player, leagues)), via__in=(*OWN_WAYS, LogEntry.Via.CLOCK)
    )
    held = entries.annotate(holder=_holder()).filter(holder=player.pk).order_by()
    own = Q(via__in=OWN_WAYS)
    counted = held.aggregate(own=Count("pk", filter=own), clock=Count("pk", filter=~own))
    return counted["own"], counted["clock"]


def _tables_held(player: User, leagues: QuerySet[League]) -> QuerySet[LeagueTable, Any]:
    """The tables of these leagues that are over and at which they have, or had, a seat."""
    changed = SeatChange.objects.filter(Q(before=player) | Q(after=player)).order_by().values("game__table")
    held = Seat.objects.filter(user=player).order_by().values("table").union(changed)
    of_leagues = LeagueTable.objects.filter(round__division__season__league__in=leagues)
    return of_leagues.filter(table__in=held, table__state=OVER).values_list("table", flat=True)


def _holder() -> Case:
    """Who had the seat when this entry was made: who gave it up next, or who has it still."""
    later = Q(game=OuterRef("game"), ply__gt=OuterRef("ply")) | Q(
        game__table=OuterRef("game__table"), game__number__gt=OuterRef("game__number")
    )
    changes = SeatChange.objects.filter(later, seat=OuterRef("seat")).order_by("game__number", "ply", "pk")
    now = Seat.objects.filter(table=OuterRef("game__table"), number=OuterRef("seat"))
    return Case(
        When(Exists(changes), then=Subquery(changes.values("before")[:1])),
        default=Subquery(now.values("user")[:1]),
    )
