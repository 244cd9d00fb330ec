"""Somebody closes his account: he leaves every season, helps nowhere and organises nothing any more.

His row is held by the caller.
"""

from __future__ import annotations

from django.db import transaction

from accounts.models import User
from games.commands import Refused
from games.leagues.commands.absence import withdraw
from games.leagues.commands.deeds import write_down
from games.leagues.commands.helping import OVER, stop_helping
from games.leagues.commands.locking import locked_league, locked_season
from games.leagues.commands.looking import put_off
from games.leagues.commands.opening import call_off
from games.leagues.commands.signing_up import leave_season
from games.leagues.models import Deed, Entry, League, Season

_TRIES = 3  # a season may begin, or somebody be brought into it, at that very moment


@transaction.atomic
def leave_everything(user: User) -> None:
    """Every season that is not over, and every league he runs. Twice is once."""
    entries = Entry.objects.filter(user=user).exclude(season__state__in=OVER).exclude(state__in=Entry.OUT)
    for entry in entries.order_by("season"):
        _leave(entry)
    for season in Season.objects.filter(substitutes__user=user, substitutes__stopped_at=None).order_by("pk"):
        stop_helping(season, user)
    for league in League.objects.organised_by(user).order_by("pk"):
        _stop_organising(league, user)


def _leave(entry: Entry) -> None:
    for _try in range(_TRIES):
        entry.refresh_from_db()
        try:
            if entry.state == Entry.State.PLAYING:
                withdraw(entry)
            else:
                leave_season(entry.season, entry.user)
        except Refused:
            continue
        return


def _stop_organising(league: League, user: User) -> None:
    """A league that nobody runs any more plays on what has begun, and plans nothing."""
    seasons = league.seasons.exclude(state__in=OVER).order_by("pk")
    going_on = [locked_season(season) for season in seasons]
    league = locked_league(league)
    league.organisers.filter(user=user).delete()
    if league.organisers.exists():
        write_down(Deed.Kind.NO_ORGANISER, league, user)
        return
    for season in going_on:
        if season.state == Season.State.PLANNED:
            call_off(season, None, why=Deed.NO_ORGANISER_LEFT)
        else:
            put_off(season)
    write_down(Deed.Kind.NO_ORGANISER, league, user, touched=_players_of(league), facts={"is_last": True})


def _players_of(league: League) -> list[User]:
    """Who is in a season that goes on."""
    entries = Entry.objects.filter(season__league=league).exclude(season__state__in=OVER)
    return [entry.user for entry in entries.exclude(state__in=Entry.OUT).select_related("user")]
