"""The rows that league emails are about, read with what their texts need."""

from __future__ import annotations

from games.leagues.models import LeagueTable, Registration, Round, Season


def season_of(pk: int) -> Season:
    """Return the season with this primary key."""
    return Season.objects.select_related("league").get(pk=pk)


def entry_of(pk: int) -> Registration:
    """Return the registration with this primary key."""
    return Registration.objects.select_related("season__league", "division__season__league", "user").get(
        pk=pk
    )


def round_of(pk: int) -> Round:
    """Return the round with this primary key."""
    return Round.objects.select_related("division__season__league").get(pk=pk)


def table_of(pk: int) -> LeagueTable:
    """Return the league's table with this primary key."""
    return LeagueTable.objects.select_related("table", "round__division__season__league").get(pk=pk)
