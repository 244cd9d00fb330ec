"""Standings and pairings as files, feeds and calendars."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils import translation
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import require_safe

from accounts import clock
from accounts.addresses import absolute_url
from games.leagues.access import LeagueAccess
from games.leagues.feeds import feed_of
from games.leagues.file_addresses import LANGUAGE_OF_FILE, league_by_key
from games.leagues.league_calendar import calendar_of
from games.leagues.models import Division, League
from games.leagues.selectors.league_files import seating_as_json, standings_as_csv, standings_as_json
from games.leagues.selectors.season_archive import season_as_zip
from games.leagues.selectors.season_file import season_as_json
from games.leagues.selectors.standings_page import standings_page
from games.leagues.views.pages import division_of, of_league, season_of
from games.private_pages import private_page

FRESH = 600  # seconds


@of_league
def division_csv(request: HttpRequest, access: LeagueAccess, season: int, level: int) -> HttpResponse:
    """Return the division's standings as CSV, for spreadsheets."""
    found = division_of(access, season, level)
    response = HttpResponse(standings_as_csv(standings_page(found)), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{_file_name(found)}.csv"'
    return _publish(response, access)


@of_league
def division_json(request: HttpRequest, access: LeagueAccess, season: int, level: int) -> HttpResponse:
    """Return the division's standings as JSON, for programs."""
    found = division_of(access, season, level)
    path = reverse("division", args=[access.league.pk, season, level])
    data = standings_as_json(standings_page(found), path)
    return _publish(JsonResponse(data, json_dumps_params={"indent": 1}), access)


@of_league
def division_seating(request: HttpRequest, access: LeagueAccess, season: int, level: int) -> HttpResponse:
    """Return the division's pairings with their inputs, so that anyone can check them."""
    found = division_of(access, season, level)
    path = reverse("division", args=[access.league.pk, season, level])
    response = JsonResponse(seating_as_json(found, path), json_dumps_params={"indent": 1})
    response["Content-Disposition"] = f'attachment; filename="{_file_name(found)}-seating.json"'
    return _publish(response, access)


@of_league
def season_json(request: HttpRequest, access: LeagueAccess, season: int) -> HttpResponse:
    """Return a season's rules, results and standings as JSON, for programs."""
    data = season_as_json(season_of(access, season))
    return _publish(JsonResponse(data, json_dumps_params={"indent": 1}), access)


@of_league
def season_zip(request: HttpRequest, access: LeagueAccess, season: int) -> HttpResponse:
    """Return all files of a season in one."""
    found = season_of(access, season)
    response = HttpResponse(season_as_zip(found), content_type="application/zip")
    name = f"league-{access.league.pk}-season-{found.number}.zip"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return _publish(response, access)


def _file_name(division: Division) -> str:
    """Return a file name in ASCII, whatever the league's name."""
    return f"league-{division.season.league_id}-season-{division.season.number}-{division.letter}"


@of_league
def league_feed(request: HttpRequest, access: LeagueAccess) -> HttpResponse:
    """Return the league's news feed."""
    return _publish(_feed(request, access.league), access)


@of_league
def league_calendar(request: HttpRequest, access: LeagueAccess) -> HttpResponse:
    """Return a calendar with the dates of the league's seasons."""
    return _publish(_calendar(request, access.league), access)


@private_page
@require_safe
def league_feed_by_key(request: HttpRequest, key: str) -> HttpResponse:
    """Return the league's news feed to anyone with its key; 404 for a wrong key."""
    return _feed(request, _get_league_by_key(key))


@private_page
@require_safe
def league_calendar_by_key(request: HttpRequest, key: str) -> HttpResponse:
    """Return the league's calendar to anyone with its key; 404 for a wrong key."""
    return _calendar(request, _get_league_by_key(key))


def _get_league_by_key(key: str) -> League:
    league = league_by_key(key)
    if league is None:
        raise Http404
    return league


def _feed(request: HttpRequest, league: League) -> HttpResponse:
    with in_language_of(request):
        body = feed_of(league, absolute_url(request.get_full_path()))
    return HttpResponse(body, content_type="application/atom+xml; charset=utf-8")


def _calendar(request: HttpRequest, league: League) -> HttpResponse:
    with in_language_of(request):
        body = calendar_of(league.name, list(league.seasons.select_related("league")), clock.now())
    return HttpResponse(body, content_type="text/calendar; charset=utf-8")


def in_language_of(request: HttpRequest) -> AbstractContextManager[None]:
    """Return a context in the language that the file's address names, if it names one of the site's."""
    code = request.GET.get(LANGUAGE_OF_FILE, "")
    return translation.override(code) if code in dict(settings.LANGUAGES) else nullcontext()


def _publish(response: HttpResponse, access: LeagueAccess) -> HttpResponse:
    """Let caches keep a public league's file for a while, and pages of other sites read it."""
    if not access.league.is_private:
        patch_cache_control(response, public=True, max_age=FRESH)
        patch_vary_headers(response, ("Accept-Language",))
        response["Access-Control-Allow-Origin"] = "*"
    return response
