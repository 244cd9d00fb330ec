"""The list of leagues, and what a league's own page tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from games.leagues.models import Entry, League, Organiser, Season, Substitute
from games.leagues.overview.dates import Date, dates_of, next_dates
from games.leagues.overview.going_on import GOING_ON, Now, going_on, told_now, winners_of

MOST_LEAGUES = 600


@dataclass(frozen=True)
class LeagueRow:
    """A league in a list, and what goes on in it."""

    league: League
    now: tuple[Now, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple([now.sentence for now in self.now]) or (_("No season is planned yet."),)


def own_leagues(reader: User) -> QuerySet[League]:
    """Those that they run, have been in a season of, or help in; the newest first."""
    return League.objects.filter(pk__in=_own(reader)).order_by("-pk")


def public_leagues(reader: User | None) -> QuerySet[League]:
    """The newest public ones that are not theirs; the newest first."""
    public = League.objects.filter(is_private=False).order_by("-pk")
    return (public.exclude(pk__in=_own(reader)) if reader else public)[:MOST_LEAGUES]


def _own(reader: User) -> QuerySet[Organiser, Any]:
    """Their numbers, looked up from the reader's side. SQLite joins no ordered lists."""
    entered = Entry.objects.filter(user=reader).order_by().values("season__league")
    helps = Substitute.objects.filter(user=reader).order_by().values("season__league")
    return Organiser.objects.filter(user=reader).order_by().values("league").union(entered, helps)


def rows_of(leagues: Sequence[League]) -> list[LeagueRow]:
    """Each with what goes on in it."""
    now = going_on(leagues)
    return [LeagueRow(league, tuple(now[league.pk])) for league in leagues]


@dataclass(frozen=True)
class SeasonRow:
    """A season in its league's list."""

    season: Season
    sentence: str
    winner: str


@dataclass(frozen=True)
class LeaguePage:
    """All that a league's page tells."""

    organisers: tuple[str, ...]
    seasons: tuple[SeasonRow, ...]
    dates: tuple[Date, ...]
    own: frozenset[int] = frozenset()  # the seasons that the reader is in

    @property
    def going_on(self) -> list[SeasonRow]:
        """What goes on, the furthest first."""
        going = [row for row in self.seasons if row.season.state in GOING_ON]
        return sorted(going, key=lambda row: GOING_ON.index(Season.State(row.season.state)), reverse=True)

    @property
    def open_season(self) -> Season | None:
        """The newest for which one may sign up and get a place, not only wait for one."""
        open_ones = [row.season for row in self.seasons if row.season.state == Season.State.SIGN_UP]
        return open_ones[0] if open_ones else None

    @property
    def waiting_season(self) -> Season | None:
        """The newest in which one can only wait for a place, where none is open and he is not in it."""
        later = (Season.State.CONFIRMING, Season.State.RUNNING)
        found = [row.season for row in self.seasons if row.season.state in later]
        if not found or self.open_season is not None or found[0].pk in self.own:
            return None
        return found[0]


def league_page(league: League, now: datetime, reader: User | None = None) -> LeaguePage:
    """The newest season comes first."""
    seasons = list(league.seasons.select_related("league").order_by("-number"))
    told, winners = told_now(seasons), winners_of(seasons)
    return LeaguePage(
        tuple([one.user.shown_name for one in league.organisers.select_related("user")]),
        tuple([SeasonRow(one, told[one.pk], winners.get(one.pk, "")) for one in seasons]),
        tuple(next_dates(dates_of(seasons), now)),
        _seasons_of(reader, league),
    )


def _seasons_of(reader: User | None, league: League) -> frozenset[int]:
    """Those that he is in, or was sent out of, be it only to wait."""
    if reader is None:
        return frozenset()
    came = Entry.objects.filter(user=reader, season__league=league)
    out = (Entry.State.LEFT, Entry.State.DROPPED)  # who may sign up anew
    return frozenset(came.exclude(state__in=out).values_list("season", flat=True))
