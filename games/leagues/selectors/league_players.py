"""A player's page: seasons, finished tables, ratings and reliability in leagues.

It leaves out running games, because whose decision is pending may be secret (R17).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from games.leagues.models import (
    League,
    LeagueTable,
    Rating,
    Registration,
    Season,
    SeatAssignment,
    Standing,
    Substitute,
)
from games.leagues.selectors.exact_numbers import as_people_read
from games.leagues.selectors.league_tables import TableView, table_views
from games.leagues.selectors.player_ratings import RatingRow, rating_row
from games.leagues.selectors.player_results import (
    Reliability,
    Results,
    facts_of_player,
    reliability_of,
    results_of,
)
from games.leagues.selectors.points_in_words import about_points

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
            return _("Rank %(place)d in division %(division)s") % words
        # Translators: place is a rank in the final standings, such as 3
        return _("Rank %(place)d") % words

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


@dataclass(frozen=True)
class PlayerPage:
    """A player as one reader may see them.

    It covers only leagues that the reader may read.
    """

    player: User
    entries: tuple[EntryRow, ...]
    results: Results
    tables: tuple[tuple[TableView, str], ...]  # with the player's own result
    substitute_in: tuple[Season, ...]  # unfinished seasons in which they are a substitute
    ratings: tuple[RatingRow, ...]
    reliability: Reliability

    @cached_property
    def is_empty(self) -> bool:
        """Return whether there is nothing that the reader may see."""
        return not (self.entries or self.tables or self.substitute_in or self.reliability.helped)


def player_page(
    player: User, reader: User | None, leagues: QuerySet[League], tables: Iterable[int]
) -> PlayerPage:
    """Return the player's page for these leagues, with the given tables, in a fixed number of queries."""
    shown = table_views(LeagueTable.objects.filter(pk__in=list(tables)), reader)
    found = facts_of_player(player, leagues)
    facts = [one for one, _league in found]
    newest_first = sorted(shown, key=lambda view: (view.row.begins_at, view.row.pk), reverse=True)
    ratings = Rating.objects.filter(user=player).select_related("user").order_by("edition")
    return PlayerPage(
        player,
        tuple(_entries(player, leagues)),
        results_of(facts, player, {league for _table, league in found}),
        tuple([(view, _own_result(view, player)) for view in newest_first]),
        tuple(_substitute_in(player, leagues)),
        tuple([rating_row(rating) for rating in ratings]),
        reliability_of(player, leagues, facts),
    )


def is_in_leagues(player: User, leagues: QuerySet[League]) -> bool:
    """Return whether the player's page has anything to show from these leagues, in at most two queries."""
    entries = Registration.objects.filter(user=player, season__league__in=leagues, state__in=SHOWN)
    return entries.exists() or _substitute_in(player, leagues).exists()


def _own_result(view: TableView, player: User) -> str:
    """Return the player's place and points at a table; empty until its result is counted."""
    own = next((seat for seat in view.seats if seat.person == player and seat.points), None)
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


def _substitute_in(player: User, leagues: QuerySet[League]) -> QuerySet[Season]:
    helping = Substitute.objects.filter(user=player, stopped_at=None).values("season")
    seasons = Season.objects.filter(pk__in=helping, league__in=leagues).select_related("league")
    return seasons.exclude(state__in=Season.OVER).order_by("pk")
