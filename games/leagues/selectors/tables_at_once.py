"""At how many tables someone may play at once if they sign up for a season."""

from __future__ import annotations

from django.db.models import Q
from django.utils.translation import ngettext

from accounts.models import User
from games.leagues.models import LeagueTable, Registration, Season
from games.models import Game, Table


def tables_at_once_text(season: Season, user: User) -> str:
    """Return at how many tables a person may play at once with this season; empty if at one only.

    These are the most that each of their seasons allows, and their games outside of leagues.
    """
    entries = Registration.objects.filter(user=user, season__state__in=Season.GOING_ON)
    others = (
        entries.filter(Q(state__in=Registration.WITH_PLACE)).exclude(season=season).select_related("season")
    )
    league_tables = LeagueTable.objects.running().values("table")
    games = Game.objects.of(user).filter(table__state=Table.State.PLAYING, ended_at=None)
    count = sum([_at_once(one.season) for one in others]) + _at_once(season)
    count += games.exclude(table__in=league_tables).count()
    if count < 2:
        return ""
    text = ngettext(
        "With this season you play up to %(n)d table at once.",
        "With this season you play up to %(n)d tables at once.",
        count,
    )
    return text % {"n": count}


def _at_once(season: Season) -> int:
    return min(season.tables_at_once, season.rounds)
