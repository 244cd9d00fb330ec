"""Lists of leagues, a league's page and a season's page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from games.leagues.links import ask_url
from games.leagues.models import (
    Division,
    League,
    LeagueTable,
    Organiser,
    Registration,
    Season,
    Substitute,
    SubstituteOffer,
)
from games.leagues.selectors.season_summary import GOING_ON, Now, at, going_on, now_in_words, winners_of
from games.leagues.selectors.standings import StandingsPage, about_points, standings_pages
from games.leagues.selectors.text import Date, dates_of, next_dates
from games.models import Game, Table

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
    entered = Registration.objects.filter(user=reader).order_by().values("season__league")
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
    told, winners = now_in_words(seasons), winners_of(seasons)
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
    came = Registration.objects.filter(user=reader, season__league=league)
    out = (Registration.State.LEFT, Registration.State.DROPPED)  # who may sign up anew
    return frozenset(came.exclude(state__in=out).values_list("season", flat=True))


# A season as its page tells it: who is in it, who waits in which order, who leads, and what the reader may
# do about it.


State, Has = Season.State, Registration.State
IN_PLACE = (Has.EXPECTED, Has.SIGNED_UP, Has.CONFIRMED, Has.PLAYING)
LEADERS = 3


@dataclass(frozen=True)
class DivisionRow:
    """A division in its season's list, with the best of it."""

    division: Division
    players: int
    leaders: tuple[tuple[int, str, str], ...]  # place, name, points in words


@dataclass(frozen=True)
class SeasonPage:
    """A season for one reader, who may be nobody."""

    season: Season
    reader: User | None
    entries: tuple[Registration, ...]  # in the order in which places are given
    helpers: tuple[Substitute, ...]  # in the order in which they are asked
    divisions: tuple[DivisionRow, ...]
    games: tuple[Game, ...]  # the reader's own, at its tables that run

    @cached_property
    def placed(self) -> list[Registration]:
        """Who has a place, or one kept."""
        return [entry for entry in self.entries if entry.state in IN_PLACE]

    @property
    def expected(self) -> list[Registration]:
        """Those for whom a place is kept."""
        return [entry for entry in self.placed if entry.state == Has.EXPECTED]

    @property
    def signed(self) -> list[Registration]:
        """Who has said that he plays."""
        return [entry for entry in self.placed if entry.state != Has.EXPECTED]

    @property
    def waiting(self) -> list[Registration]:
        return [entry for entry in self.entries if entry.state == Has.WAITING]

    @property
    def gone(self) -> list[Registration]:
        """Who left while it was played."""
        return [entry for entry in self.entries if entry.state in (Has.WITHDRAWN, Has.EXPELLED)]

    @property
    def free(self) -> int:
        """How many places nobody has, nor has kept for him, nor waits for."""
        return max(self.season.places - len(self.placed) - len(self.waiting), 0)

    @cached_property
    def mine(self) -> Registration | None:
        """The reader's own."""
        return next((one for one in self.entries if self.reader and one.user_id == self.reader.pk), None)

    @cached_property
    def my_help(self) -> Substitute | None:
        return next((one for one in self.helpers if self.reader and one.user_id == self.reader.pk), None)

    @cached_property
    def asked_of_me(self) -> list[str]:
        """Where he says whether he takes a seat, for each he has not answered for yet."""
        if self.my_help is None:
            return []
        return [ask_url(ask) for ask in self.my_help.asks.filter(answer=SubstituteOffer.Answer.OPEN)]

    @property
    def can_sign_up(self) -> bool:
        """Whether he has neither a place nor waits for one, and can get there."""
        if self.season.state == State.RUNNING and not self.season.fills_gaps:
            return False
        again = self.mine is None or self.mine.state in (Has.EXPECTED, Has.LEFT, Has.DROPPED)
        return self.season.is_open and again

    @property
    def would_wait(self) -> bool:
        """Whether signing up means to wait."""
        has_kept = self.mine is not None and self.mine.state == Has.EXPECTED
        return self.season.state == State.RUNNING or not (has_kept or self.free)

    @property
    def can_confirm(self) -> bool:
        return (
            self.mine is not None
            and self.mine.state == Has.SIGNED_UP
            and self.season.state == State.CONFIRMING
        )

    @property
    def can_leave(self) -> bool:
        """Whether he can go before it begins."""
        before = (Has.EXPECTED, Has.SIGNED_UP, Has.WAITING, Has.CONFIRMED)
        return self.mine is not None and self.mine.state in before and self.season.is_open

    @property
    def can_withdraw(self) -> bool:
        """Whether he plays, and can go."""
        return self.mine is not None and self.mine.state == Has.PLAYING and self.season.state == State.RUNNING

    @property
    def can_offer_help(self) -> bool:
        return self.season.is_open and self.my_help is None

    @property
    def my_number(self) -> int:
        """His place among those who wait."""
        return next((n for n, entry in enumerate(self.waiting, start=1) if entry == self.mine), 0)

    @property
    def standing(self) -> str:
        """How the reader stands to it, in a sentence; empty for who has nothing to do with it."""
        mine = self.mine
        if mine is None or not (self.season.is_open or mine.state == Has.PLAYING):
            return ""
        return _standing(self, mine)

    @property
    def next_step(self) -> str:
        """What comes next for the reader."""
        return what_comes_next(self.season, self.mine) if self.mine is not None else ""


def _standing(page: SeasonPage, mine: Registration) -> str:
    match mine.state:
        case Has.EXPECTED:
            return _("A place is kept for you until sign-up ends: sign up, and it is yours.")
        case Has.SIGNED_UP if page.can_confirm:
            return _("You have a place. Please confirm that you play.")
        case Has.SIGNED_UP:
            return _("You have a place.")
        case Has.CONFIRMED:
            return _("You have a place, and have confirmed it.")
        case Has.WAITING:
            return _("You wait for a place: you are number %(n)d.") % {"n": page.my_number}
        case Has.PLAYING:
            return _("You play in it.")
        case Has.LEFT:
            return _("You have left it.")
        case Has.DROPPED:
            return _("You did not confirm in time, and so have no place.")
        case Has.WITHDRAWN:
            return _("You have withdrawn.")
    return _("An organiser has expelled you.")


def what_comes_next(season: Season, mine: Registration) -> str:
    """What happens after this, for somebody in a season; empty where there is nothing to wait for."""
    words = {"ends": at(season.signup_ends_at), "begins": at(season.begins_at)}
    by = season.confirm_by
    match mine.state:
        case Has.SIGNED_UP if season.state == State.SIGN_UP:
            return (
                _("When sign-up ends (on %(ends)s at the latest) you get an email that asks you to confirm.")
                % words
            )
        case Has.SIGNED_UP if by is not None:
            return _("You have until %(by)s to confirm.") % {"by": at(by)}
        case Has.WAITING if season.state == State.RUNNING:
            return _("You get an email if somebody leaves and his place is yours.")
        case Has.WAITING:
            return _("You get an email as soon as a place is yours.")
        case Has.CONFIRMED:
            return (
                _("The divisions are drawn and the first round begins on %(begins)s; you get an email.")
                % words
            )
    return ""


def season_page(season: Season, reader: User | None) -> SeasonPage:
    """In a fixed number of queries."""
    entries = tuple(season.entries.select_related("user", "division"))
    helpers = tuple(season.substitutes.filter(stopped_at=None).select_related("user"))
    return SeasonPage(season, reader, entries, helpers, _divisions(season, entries), _games(season, reader))


def _divisions(season: Season, entries: Sequence[Registration]) -> tuple[DivisionRow, ...]:
    divisions = list(season.divisions.all())
    for division in divisions:
        division.season = season
    players = Counter(entry.division_id for entry in entries)
    return tuple(
        [
            DivisionRow(page.division, players[page.division.pk], leaders_of(page))
            for page in standings_pages(divisions)
        ]
    )


def leaders_of(page: StandingsPage) -> tuple[tuple[int, str, str], ...]:
    """The first few, once there is a result."""
    first = page.lines[:LEADERS] if page.has_results else ()
    return tuple([(line.row.place, line.name, about_points(line.row.points)) for line in first])


def _games(season: Season, reader: User | None) -> tuple[Game, ...]:
    if reader is None or season.state != State.RUNNING:
        return ()
    tables = LeagueTable.objects.filter(round__division__season=season).values("table")
    here = Game.objects.of(reader).filter(table__in=tables, table__state=Table.State.PLAYING)
    return tuple(here.filter(ended_at=None).select_related("table").order_by("pk"))
