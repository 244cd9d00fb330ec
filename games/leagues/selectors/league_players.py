"""A player's leagues: seasons, games, ratings and reliability."""

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
from games.services.moves import OWN_TURNS

SCALE = 40  # shown rating per rating point, so that whole numbers tell players apart

MOST_RATINGS = 1000


@dataclass(frozen=True)
class RatingRow:
    """A player's rating as a list shows it."""

    person: User
    edition: str
    shown: int
    tables: int
    is_provisional: bool

    @property
    def text(self) -> str:
        """Return the rating with a minus sign as wide as a digit."""
        return str(self.shown).replace("-", "\u2212")

    @property
    def game(self) -> str:
        """Return the name of the edition."""
        return edition_name(self.edition)


def rating_row(rating: Rating) -> RatingRow:
    """Return the row of a rating.

    The number shown is a conservative estimate of strength: newcomers start at 0.
    """
    value = computed.Rating(rating.mu, rating.sigma, rating.tables)
    shown = round(SCALE * value.ordinal)
    return RatingRow(rating.user, rating.edition, shown, rating.tables, value.is_provisional)


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
        if self.entry.is_out:
            return str(self.entry.get_state_display())
        if self.standing is not None and self.letter:
            # Translators: place is a rank, such as 3; division is its letter, such as B
            return _("Place %(place)d in division %(division)s") % words
        if self.standing is not None:
            # Translators: place is a rank in the final standings, such as 3
            return _("Place %(place)d") % words
        return str(self.entry.get_state_display())

    @property
    def letter(self) -> str:
        """Return the letter of the player's division; empty if the season can have only one."""
        division = self.entry.division
        return division.letter if division and self.season.most_divisions > 1 else ""


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
    tables: tuple[TableView, ...]
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
    """Return the primary keys of tables at which the player was seated, newest first."""
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
