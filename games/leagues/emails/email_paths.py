"""Paths of the pages that league emails link to."""

from __future__ import annotations

from django.urls import reverse

from games.leagues.models import Division, LeagueTable, Round, Season


def season_path(season: Season) -> str:
    """Return the path of the season's page."""
    return reverse("season", args=[season.league_id, season.number])


def division_path(division: Division) -> str:
    """Return the path of the division's page."""
    return reverse("division", args=_in_division(division))


def round_path(round_: Round) -> str:
    """Return the path of the round's page."""
    return reverse("round", args=[*_in_division(round_.division), round_.number])


def table_path(table: LeagueTable) -> str:
    """Return the path of the table's page."""
    where = [*_in_division(table.round.division), table.round.number, table.number]
    return reverse("league_table", args=where)


def _in_division(division: Division) -> list[int]:
    return [division.season.league_id, division.season.number, division.level]
