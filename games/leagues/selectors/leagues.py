"""Lists of leagues, a league's page and a season's page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock
from accounts.models import User
from accounts.times import moment_element, with_times
from games.leagues.links import ask_url
from games.leagues.models import (
    Division,
    League,
    LeagueTable,
    Organiser,
    Registration,
    Season,
    Standing,
    Substitute,
    SubstituteOffer,
)
from games.leagues.selectors.season_summary import Now, going_on, now_in_words, winners_of
from games.leagues.selectors.standings import StandingsPage, about_points, standings_pages
from games.leagues.selectors.text import Date, dates_of, names_in, next_dates
from games.leagues.services.schedule import answers_by, next_round, tables_held, waits_until
from games.models import Game, Table

MOST_LEAGUES = 600


@dataclass(frozen=True)
class LeagueRow:
    """A league in a list, with its current seasons."""

    league: League
    now: tuple[Now, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple([now.sentence for now in self.now]) or (_("No season has been planned yet."),)


def own_leagues(reader: User) -> QuerySet[League]:
    """Return the leagues that the reader organises, entered or is a substitute in, newest first."""
    return League.objects.filter(pk__in=_own(reader)).order_by("-pk")


def public_leagues(reader: User | None) -> QuerySet[League]:
    """Return the newest public leagues that aren't the reader's own, newest first."""
    public = League.objects.filter(is_private=False).order_by("-pk")
    return (public.exclude(pk__in=_own(reader)) if reader else public)[:MOST_LEAGUES]


def _own(reader: User) -> QuerySet[Organiser, Any]:
    """Return the primary keys of the reader's leagues.

    The unions are unordered because SQLite can't combine ordered queries.
    """
    entered = Registration.objects.filter(user=reader).order_by().values("season__league")
    helps = Substitute.objects.filter(user=reader).order_by().values("season__league")
    return Organiser.objects.filter(user=reader).order_by().values("league").union(entered, helps)


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
    seasons: tuple[SeasonRow, ...]
    dates: tuple[Date, ...]
    own: frozenset[int] = frozenset()  # primary keys of the seasons that the reader is in

    @property
    def going_on(self) -> list[SeasonRow]:
        """Return the current seasons, the most advanced first."""
        going = [row for row in self.seasons if row.season.state in Season.GOING_ON]
        return sorted(going, key=lambda row: Season.GOING_ON.index(State(row.season.state)), reverse=True)

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
    organisers = [one.user for one in league.organisers.select_related("user")]
    return LeaguePage(
        tuple(names_in([league.pk], organisers).values()),
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


# A season's page


State, Has = Season.State, Registration.State
LEADERS = 3


@dataclass(frozen=True)
class DivisionRow:
    """A division in its season's list, with its leaders."""

    division: Division
    players: int
    leaders: tuple[tuple[int, str, str], ...]  # (place, name, points in words)


@dataclass(frozen=True)
class SeasonPage:
    """A season as one reader sees it; the reader may be anonymous."""

    season: Season
    reader: User | None
    entries: tuple[Registration, ...]  # in the order in which places are given
    helpers: tuple[Substitute, ...]  # in the order in which they get offers
    divisions: tuple[DivisionRow, ...]
    games: tuple[Game, ...]  # the reader's own games at running tables

    @property
    def corrected_at(self) -> datetime | None:
        """Return when its places were last corrected after its end."""
        if self.season.closed_at is None:
            return None
        return self.season.events.filter(facts__has_key="places").values_list("at", flat=True).first()

    @cached_property
    def placed(self) -> list[Registration]:
        """Return the registrations with a place or a reserved place."""
        return [entry for entry in self.entries if entry.state in Registration.WITH_PLACE]

    @property
    def expected(self) -> list[Registration]:
        """Return the registrations with a reserved place."""
        return [entry for entry in self.placed if entry.state == Has.EXPECTED]

    @property
    def signed(self) -> list[Registration]:
        """Return the players who signed up and have a place."""
        return [entry for entry in self.placed if entry.state != Has.EXPECTED]

    @property
    def waiting(self) -> list[Registration]:
        return [entry for entry in self.entries if entry.state == Has.WAITING]

    @property
    def gone(self) -> list[Registration]:
        """Return the players who left or were expelled during play."""
        return [entry for entry in self.entries if entry.state in (Has.WITHDRAWN, Has.EXPELLED)]

    @property
    def free(self) -> int:
        """Return the number of places that are not taken, reserved or waited for."""
        return max(self.season.max_players - len(self.placed) - len(self.waiting), 0)

    @cached_property
    def mine(self) -> Registration | None:
        """Return the reader's own registration."""
        return next((one for one in self.entries if self.reader and one.user_id == self.reader.pk), None)

    @cached_property
    def my_help(self) -> Substitute | None:
        return next((one for one in self.helpers if self.reader and one.user_id == self.reader.pk), None)

    @cached_property
    def asked_of_me(self) -> list[str]:
        """Return the links to the reader's open substitute offers."""
        if self.my_help is None:
            return []
        return [ask_url(ask) for ask in self.my_help.asks.filter(answer=SubstituteOffer.Answer.OPEN)]

    @property
    def can_sign_up(self) -> bool:
        """Return whether the reader can sign up for a place or the waiting list."""
        again = self.mine is None or self.mine.state in (Has.EXPECTED, Has.LEFT, Has.NO_SHOW)
        return self.season.is_open and again

    @property
    def would_wait(self) -> bool:
        """Return whether signing up would lead to the waiting list."""
        has_kept = self.mine is not None and self.mine.state == Has.EXPECTED
        return self.season.state == State.RUNNING or not (has_kept or self.free)

    @property
    def can_confirm(self) -> bool:
        return self.mine is not None and self.mine.can_confirm

    @property
    def can_leave(self) -> bool:
        """Return whether the reader can leave before the season begins."""
        before = (Has.EXPECTED, Has.SIGNED_UP, Has.WAITING, Has.CONFIRMED)
        return self.mine is not None and self.mine.state in before and self.season.is_open

    @cached_property
    def next_round(self) -> int | None:
        """Return the round of the reader's next table, which they may skip."""
        is_on = self.mine is not None and self.season.state == State.RUNNING
        return next_round(self.mine) if self.mine is not None and is_on else None

    @property
    def skips(self) -> bool:
        return self.mine is not None and self.next_round in self.mine.skipped

    @property
    def can_withdraw(self) -> bool:
        """Return whether the reader is playing and can withdraw."""
        return self.mine is not None and self.mine.state == Has.PLAYING and self.season.state == State.RUNNING

    @property
    def can_offer_help(self) -> bool:
        return self.season.is_open and self.my_help is None

    @property
    def standing(self) -> str:
        """Return the reader's status in the season as a sentence; empty if they have none."""
        mine = self.mine
        if mine is None or not (self.season.is_open or mine.state == Has.PLAYING):
            return ""
        return place_text(mine)

    @property
    def next_step(self) -> str:
        """Return what comes next for the reader."""
        return what_comes_next(self.season, self.mine) if self.mine is not None else ""


def place_text(mine: Registration) -> str:
    """Return a player's status in a season as a sentence."""
    match mine.state:
        case Has.EXPECTED:
            return _("A place is reserved for you until sign-up ends. Sign up to take it.")
        case Has.SIGNED_UP:
            return _("You have a place.")
        case Has.CONFIRMED:
            return _("You have a place and have confirmed it.")
        case Has.WAITING:
            return _("You are number %(n)d on the waiting list.") % {"n": _number_waiting(mine)}
        case Has.PLAYING if mine.season.state == State.CLOSED:
            standing = Standing.objects.filter(entry=mine).select_related("division").first()
            return final_place_text(standing, mine.season) if standing else ""
        case Has.PLAYING:
            return _("You are playing in this season.")
        case Has.LEFT:
            return _("You have left this season.")
        case Has.NO_SHOW:
            return _("You did not confirm in time, so you have no place.")
        case Has.WITHDRAWN:
            return _("You have withdrawn from this season.")
    return _("An organiser has expelled you from this season.")


def final_place_text(own: Standing, season: Season) -> str:
    """Return a player's place in a closed season as a sentence."""
    words = {"place": own.place, "letter": own.division.letter}
    if season.most_divisions == 1:
        return _("Your place: %(place)d.") % words
    # Translators: letter is the division's
    return _("Your place in division %(letter)s: %(place)d.") % words


def _number_waiting(mine: Registration) -> int:
    earlier = Q(registered_at=mine.registered_at, pk__lte=mine.pk) | Q(registered_at__lt=mine.registered_at)
    return Registration.objects.filter(earlier, season=mine.season_id, state=Has.WAITING).count()


def what_comes_next(season: Season, mine: Registration) -> str:
    """Return what comes next for a registered player; empty if nothing is pending."""
    words = {"ends": moment_element(season.signup_ends_at), "begins": moment_element(season.begins_at)}
    match mine.state:
        case Has.SIGNED_UP if season.state == State.SIGN_UP:
            # Translators: ends is a date with a time
            told = _("When sign-up ends, on %(ends)s at the latest, we’ll email you to confirm your place.")
            return with_times(told, words)
        case Has.SIGNED_UP if season.state == State.CONFIRMING:
            # Translators: by is a date with a time
            told = _("Confirm by %(by)s. After that you keep your place only if no one is waiting for it.")
            return with_times(told, {"by": moment_element(answers_by(season))})
        case Has.WAITING if mine.can_confirm:
            # Translators: by is a date with a time
            told = _("Confirm by %(by)s that you’ll play. You may then get the place of someone who hasn’t.")
            return with_times(told, {"by": moment_element(answers_by(season))})
        case Has.WAITING if season.state == State.RUNNING:
            return _("We’ll email you if someone leaves and you get their place.")
        case Has.WAITING:
            return _("We’ll email you as soon as you get a place.")
        case Has.PLAYING:
            return next_table_text(season, mine)
        case Has.CONFIRMED:
            # Translators: begins is a date with a time
            told = _("On %(begins)s the divisions are drawn and the first tables begin. We’ll email you.")
            return with_times(told, words)
    return ""


def next_table_text(season: Season, mine: Registration) -> str:
    """Return when a player's next table begins, or what it waits for; empty once the season is over."""
    number = next_round(mine)
    if season.state != State.RUNNING:
        return ""
    if number is None:
        return _("All your tables in this season have begun.")
    if number in mine.skipped:
        return _("You skip your table of round %(round)d. It begins without you.") % {"round": number}
    row = LeagueTable.objects.planned().filter(round__number=number, assignments__entry=mine).first()
    if row is None:
        return _not_drawn_text(season, number)
    assert mine.division is not None
    if tables_held(mine.division)[mine.user_id] >= season.tables_at_once:
        return ngettext(
            "Your next table begins once your table is over and its other players have room for it.",
            "Your next table begins once one of your tables is over and its other players have room for it.",
            season.tables_at_once,
        )
    if row.waits_since is None:
        return _("Your next table begins as soon as its other players have room for it.")
    until = moment_element(waits_until(row, season))
    # Translators: until is a date with a time
    told = _("Your next table waits for players who are away. It begins on %(until)s at the latest.")
    return with_times(told, {"until": until})


def _not_drawn_text(season: Season, number: int) -> str:
    if season.begins_at > clock.now():
        # Translators: begins is a date with a time
        told = _("Your first table begins on %(begins)s.")
        return with_times(told, {"begins": moment_element(season.begins_at)})
    if number == 1:
        return _("Your first table is about to begin.")
    return _("Your next table is drawn once enough tables of the round before are over.")


def season_page(season: Season, reader: User | None) -> SeasonPage:
    """Return a season's page in a fixed number of queries."""
    entries = tuple(season.entries.select_related("user", "division"))
    helpers = tuple(season.substitutes.filter(stopped_at=None).select_related("user"))
    return SeasonPage(season, reader, entries, helpers, _divisions(season, entries), _games(season, reader))


def _divisions(season: Season, entries: Sequence[Registration]) -> tuple[DivisionRow, ...]:
    divisions = list(season.divisions.all())
    for division in divisions:
        division.season = season
    players = Counter(entry.division_id for entry in entries if not entry.is_out)
    return tuple(
        [
            DivisionRow(page.division, players[page.division.pk], leaders_of(page))
            for page in standings_pages(divisions)
        ]
    )


def leaders_of(page: StandingsPage) -> tuple[tuple[int, str, str], ...]:
    """Return the leaders of a division; empty before the first result."""
    first = page.lines[:LEADERS] if page.has_results else ()
    return tuple([(line.row.place, line.name, about_points(line.row.points)) for line in first])


def _games(season: Season, reader: User | None) -> tuple[Game, ...]:
    if reader is None or season.state != State.RUNNING:
        return ()
    tables = LeagueTable.objects.filter(round__division__season=season).values("table")
    here = Game.objects.of(reader).filter(table__in=tables, table__state=Table.State.PLAYING)
    return tuple(here.filter(ended_at=None).select_related("table").order_by("pk"))
