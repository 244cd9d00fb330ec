"""Public pages of leagues: lists, seasons, standings, rounds, tables, players and the log."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from accounts import clock, paging
from accounts.models import User
from games.access import reader_of
from games.leagues.access import LeagueAccess, get_league, readable_leagues
from games.leagues.file_addresses import calendar_path, feed_path
from games.leagues.models import Division, LeagueTable, Round, Season
from games.leagues.selectors.all_time import all_time_table
from games.leagues.selectors.league_log import events_of, lines_of
from games.leagues.selectors.league_page import league_page, own_leagues, public_leagues, rows_of
from games.leagues.selectors.league_players import player_page, tables_of
from games.leagues.selectors.league_rounds import round_page, rounds_of
from games.leagues.selectors.league_tables import table_views
from games.leagues.selectors.mid_season import mid_season, moving_rules
from games.leagues.selectors.player_ratings import rating_row, ratings_of
from games.leagues.selectors.season_page import season_page
from games.leagues.selectors.season_rules import rules_of, tie_breaks_of
from games.leagues.selectors.season_summary import now_in_words
from games.leagues.selectors.standings_page import standings_page
from games.leagues.services.concerns import may_tell
from games.private_pages import private_page
from games.rules import EDITIONS

ON_A_PAGE = 30

Read = Callable[..., HttpResponse]


def of_league(view: Read) -> Read:
    """Decorate a view of one league, which gets the reader's LeagueAccess instead of the league's number.

    Returns 404 if the reader can't see such a league. Anonymous readers are sent to sign in instead, whether
    or not the league exists.
    """

    @wraps(view)
    @require_safe
    def shown(request: HttpRequest, number: int, **where: Any) -> HttpResponse:
        try:
            access = get_league(request, number)
        except Http404:
            if reader_of(request) is not None:
                raise
            return redirect_to_login(request.get_full_path())
        made = private_page(view) if access.league.is_private else view
        return made(request, access, **where)

    return shown


def page_of(request: HttpRequest, rows: Any) -> paging.ListPage[Any]:
    """Return the requested page of a list."""
    return paging.page_of(rows, request.GET.get("page"), ON_A_PAGE)


@require_safe
def leagues(request: HttpRequest) -> HttpResponse:
    """List the reader's own leagues, then other public leagues, each with its current seasons."""
    reader = reader_of(request)
    own = list(own_leagues(reader)) if reader else []
    page = page_of(request, public_leagues(reader))
    rows = rows_of([*own, *page.rows])
    context = {"page": page, "own": rows[: len(own)], "rows": rows[len(own) :], "editions": EDITIONS}
    return render(request, "leagues/leagues.html", context)


@of_league
def league(request: HttpRequest, access: LeagueAccess) -> HttpResponse:
    """Show a league, its organisers and its seasons, and how to join."""
    context = {
        "access": access,
        "league": access.league,
        "page": league_page(access.league, clock.now(), access.user),
        "feed_path": feed_path(access.league),
        "calendar_path": calendar_path(access.league),
    }
    return render(request, "leagues/league.html", context)


@of_league
def log(request: HttpRequest, access: LeagueAccess) -> HttpResponse:
    """Show the league's log, newest first; only the league's people see the reasons."""
    page = page_of(request, events_of(access.league))
    context = {
        "league": access.league,
        "access": access,
        "page": page,
        "lines": lines_of(page.rows, with_reasons=access.is_person, reader=access.user),
    }
    return render(request, "leagues/log.html", context)


@of_league
def all_time(request: HttpRequest, access: LeagueAccess) -> HttpResponse:
    """Show what everyone's finished seasons of a league came to."""
    page = page_of(request, all_time_table(access.league))
    context = {"access": access, "league": access.league, "page": page}
    return render(request, "leagues/all_time.html", context)


@of_league
def season(request: HttpRequest, access: LeagueAccess, season: int) -> HttpResponse:
    """Show a season's rules, its players, and what the reader can do."""
    found = season_of(access, season)
    context = {
        "access": access,
        "season": found,
        "page": season_page(found, access.user),
        "now": now_in_words([found])[found.pk],
        "rules": rules_of(found),
        "tie_breaks": tie_breaks_of(found),
        "calendar_path": calendar_path(access.league),
    }
    return render(request, "leagues/season.html", context)


@of_league
def division(request: HttpRequest, access: LeagueAccess, season: int, level: int) -> HttpResponse:
    """Show a division's standings, with an explanation of every number, and its rounds."""
    found = division_of(access, season, level)
    page = standings_page(found, access.user)
    standings = mid_season(page, request.GET.get("order", ""))
    context = {
        "access": access,
        "division": found,
        "season": found.season,
        "page": page,
        "standings": standings,
        "moving": moving_rules(standings.moves),
        "rounds": rounds_of(found),
    }
    return render(request, "leagues/division.html", context)


@of_league
def round(request: HttpRequest, access: LeagueAccess, season: int, level: int, round: int) -> HttpResponse:  # noqa: A001, A002 - its name in URLs
    """Show a round's tables and the players who sit out."""
    found = _round_of(division_of(access, season, level), round)
    context = {
        "access": access,
        "round": found,
        "division": found.division,
        "season": found.division.season,
        "page": round_page(found, access.user),
    }
    return render(request, "leagues/round.html", context)


@of_league
def league_table(
    request: HttpRequest,
    access: LeagueAccess,
    season: int,
    level: int,
    round: int,  # noqa: A002 - its name in URLs
    table: int,
) -> HttpResponse:
    """Show a table of a round: its seats, how it ended, and the points."""
    found = _round_of(division_of(access, season, level), round)
    views = table_views(LeagueTable.objects.filter(round=found, number=table), access.user)
    if not views:
        raise Http404
    context = {
        "access": access,
        "view": views[0],
        "may_tell": may_tell(found.division.season, access.user),
        "round": found,
        "division": found.division,
        "season": found.division.season,
    }
    return render(request, "leagues/table.html", context)


@require_safe
def player(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a player in the leagues that the reader may read; 404 if they are in none."""
    reader = reader_of(request)
    person = get_object_or_404(User, pk=pk, deleted_at=None)
    leagues = readable_leagues(reader)
    tables = page_of(request, tables_of(person, leagues))
    details = player_page(person, reader, leagues, tables.rows)
    if details.is_empty:
        raise Http404
    context = {"details": details, "page": tables, "player": person}
    return render(request, "leagues/player.html", context)


@require_safe
def ratings(request: HttpRequest, edition: str) -> HttpResponse:
    """List all rated players of an edition, best first."""
    if edition not in EDITIONS:
        raise Http404
    page = page_of(request, ratings_of(edition))
    rows = [rating_row(rating) for rating in page.rows]
    context = {"page": page, "rows": rows, "edition": edition, "editions": EDITIONS}
    return render(request, "leagues/ratings.html", context)


def season_of(access: LeagueAccess, number: int) -> Season:
    """Return one of the league's seasons. Raises Http404."""
    return get_object_or_404(Season.objects.select_related("league"), league=access.league, number=number)


def division_of(access: LeagueAccess, season: int, level: int) -> Division:
    """Return a division of one of the league's seasons. Raises Http404."""
    divisions = Division.objects.select_related("season__league")
    return get_object_or_404(divisions, season__league=access.league, season__number=season, level=level)


def _round_of(division: Division, number: int) -> Round:
    rounds = Round.objects.select_related("division__season__league")
    return get_object_or_404(rounds, division=division, number=number)
