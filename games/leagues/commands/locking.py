"""The rows that a command of a league holds until its transaction ends: the season's first, but before it
those of people (people.py), as deleting an account locks the person first."""

from __future__ import annotations

from accounts.models import User
from games.leagues.models import League, Season


def locked_season(season: Season | int) -> Season:
    """The season as it is now, with its league, held until the transaction ends."""
    pk = season.pk if isinstance(season, Season) else season
    return Season.objects.select_for_update(of=("self",)).select_related("league").get(pk=pk)


def locked_league(league: League) -> League:
    """The league as it is now, held until the transaction ends: a season is added under it."""
    return League.objects.select_for_update().get(pk=league.pk)


def is_organiser(league: League, user: User) -> bool:
    """Whether this person runs the league."""
    return league.organisers.filter(user=user).exists()
