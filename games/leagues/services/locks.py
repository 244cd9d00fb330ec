"""The row locks under which a league is changed, each until the transaction ends."""

from __future__ import annotations

from django.db.models import Model, QuerySet

from accounts.models import User
from games.leagues.models import (
    Division,
    League,
    LeagueTable,
    OpenSeat,
    Registration,
    Season,
    SubstituteOffer,
)
from games.models import Seat


def locked_season(season: Season | int) -> Season:
    """Lock the season until the transaction ends; return it with its league."""
    pk = season.pk if isinstance(season, Season) else season
    return Season.objects.select_for_update(of=("self",)).select_related("league").get(pk=pk)


def seasons_of(row: Model) -> QuerySet[Season]:
    """Return the seasons that are locked for a change of this row."""
    tables = "divisions__rounds__tables"
    paths = {
        League: "league",
        Season: "pk",
        Division: "divisions",
        LeagueTable: tables,
        OpenSeat: f"{tables}__open_seats",
        SubstituteOffer: "substitutes__asks",
    }
    if isinstance(row, Seat):
        row = LeagueTable.objects.get(table=row.table_id)
    return Season.objects.filter(**{paths[type(row)]: row.pk})


def locked_table(row: LeagueTable) -> tuple[LeagueTable, Season]:
    """Lock the season; return the table as it is now, and the season."""
    season = locked_season(Season.objects.values_list("pk", flat=True).get(divisions__rounds__tables=row.pk))
    return LeagueTable.objects.select_related("table", "round__division__season").get(pk=row.pk), season


def locked_league(league: League) -> League:
    """Lock the league until the transaction ends; seasons are added under this lock."""
    return League.objects.select_for_update().get(pk=league.pk)


def locked_season_of_players(season: Season) -> Season:
    """Lock the season's players, then the season; return it as it is now, with its league.

    Players come first, as deleting an account locks the person first.
    """
    playing = season.entries.filter(state=Registration.State.PLAYING).values("user")
    list(User.objects.filter(pk__in=playing).order_by("pk").select_for_update(no_key=True))
    return locked_season(season)


def locked_division(division: Division) -> tuple[Division, Season]:
    """Lock the division's players, then its season; return both rows as they are now.

    Players come first, as deleting an account locks the person first.
    """
    playing = division.entries.filter(state=Registration.State.PLAYING).values("user")
    list(User.objects.filter(pk__in=playing).order_by("pk").select_for_update(no_key=True))
    season = locked_season(division.season_id)
    division = Division.objects.get(pk=division.pk)
    division.season = season
    return division, season
