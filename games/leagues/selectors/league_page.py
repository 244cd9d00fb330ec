"""Lists of leagues, and a league's page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from games.leagues.models import League, Organiser, Registration, Season, Substitute
from games.leagues.selectors.names_in_leagues import names_in
from games.leagues.selectors.season_dates import Date, dates_of, next_dates
from games.leagues.selectors.season_summary import SeasonInWords, going_on, now_in_words, winners_of

MOST_LEAGUES = 600


@dataclass(frozen=True)
class LeagueRow:
    """A league in a list, with its current seasons."""

    league: League
    now: tuple[SeasonInWords, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple([now.sentence for now in self.now]) or (_("No season has been planned yet."),)


def own_leagues(reader: User) -> QuerySet[League]:
    """Return the leagues that the reader organises, entered or is a substitute in, newest first."""
    return League.objects.filter(pk__in=_leagues_of(reader)).order_by("-pk")


def public_leagues(reader: User | None) -> QuerySet[League]:
    """Return the newest public leagues that aren't the reader's own, newest first."""
    public = League.objects.filter(is_private=False).order_by("-pk")
    return (public.exclude(pk__in=_leagues_of(reader)) if reader else public)[:MOST_LEAGUES]


def _leagues_of(reader: User) -> QuerySet[Organiser, Any]:
    """Return the primary keys of the reader's leagues.

    The unions are unordered because SQLite can't combine ordered queries.
    """
    entered = Registration.objects.filter(user=reader).order_by().values("season__league")
    helps = Substitute.objects.filter(user=reader).order_by().values("season__league")
    return Organiser.staff.filter(user=reader).order_by().values("league").union(entered, helps)


def rows_of(leagues: Sequence[League]) -> list[LeagueRow]:
    """Return the leagues with their current seasons."""
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
    """The content of a league's page."""

    organisers: tuple[str, ...]
    assistants: tuple[str, ...]
    seasons: tuple[SeasonRow, ...]
    dates: tuple[Date, ...]
    own: frozenset[int] = frozenset()  # primary keys of the seasons that the reader is in

    @property
    def going_on(self) -> list[SeasonRow]:
        """Return the current seasons, the most advanced first."""
        going = [row for row in self.seasons if row.season.state in Season.GOING_ON]
        return sorted(
            going, key=lambda row: Season.GOING_ON.index(Season.State(row.season.state)), reverse=True
        )

    @property
    def open_season(self) -> Season | None:
        """Return the newest season whose sign-up still gives places.

        Seasons that only offer the waiting list don't count.
        """
        open_ones = [row.season for row in self.seasons if row.season.state == Season.State.SIGN_UP]
        return open_ones[0] if open_ones else None

    @property
    def waiting_season(self) -> Season | None:
        """Return the newest season if it only has a waiting list.

        None if a sign-up is open or the reader is already in the season.
        """
        later = (Season.State.CONFIRMING, Season.State.RUNNING)
        found = [row.season for row in self.seasons if row.season.state in later]
        if not found or self.open_season is not None or found[0].pk in self.own:
            return None
        return found[0]


def league_page(league: League, now: datetime, reader: User | None = None) -> LeaguePage:
    """Return a league's page, with the newest season first."""
    seasons = list(league.seasons.select_related("league").order_by("-number"))
    summaries, winners = now_in_words(seasons), winners_of(seasons)
    staff = list(Organiser.staff.filter(league=league).select_related("user"))
    names = names_in([league.pk], [one.user for one in staff])
    return LeaguePage(
        tuple([names[one.user_id] for one in staff if not one.is_assistant]),
        tuple([names[one.user_id] for one in staff if one.is_assistant]),
        tuple([SeasonRow(one, summaries[one.pk], winners.get(one.pk, "")) for one in seasons]),
        tuple(next_dates(dates_of(seasons), now)),
        _seasons_of(reader, league),
    )


def _seasons_of(reader: User | None, league: League) -> frozenset[int]:
    """Return the primary keys of the reader's seasons, including ones they wait for or were expelled from."""
    if reader is None:
        return frozenset()
    came = Registration.objects.filter(user=reader, season__league=league)
    out = (Registration.State.LEFT, Registration.State.NO_SHOW)  # these may sign up again
    return frozenset(came.exclude(state__in=out).values_list("season", flat=True))
