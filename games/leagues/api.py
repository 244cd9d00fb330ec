"""The interface for programs: leagues, their seasons and standings, as their public files have them."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Router, Schema
from pydantic import Field

from accounts.addresses import absolute_url
from accounts.api_access import ANYONE, NO_TOKEN_NEEDED, PLAY, READ, owner_of_token
from games.access import reader_of
from games.leagues.access import get_league, get_season
from games.leagues.models import League, Season
from games.leagues.models.seasons import LONGEST_ANSWER
from games.leagues.selectors.league_files import standings_as_json
from games.leagues.selectors.league_page import own_leagues, public_leagues
from games.leagues.selectors.season_file import season_as_json
from games.leagues.selectors.standings_page import standings_page
from games.leagues.services import registration
from games.leagues.views.pages import division_of

router = Router(tags=["leagues"])


class LeagueInList(Schema):
    """A league. `is_yours` says whether the person organises it, plays there or is a substitute."""

    id: int
    name: str
    is_private: bool
    is_yours: bool
    page: str


class SeasonInList(Schema):
    """A season of a league, by its number in the league."""

    number: int
    state: str
    page: str


class LeagueSeen(LeagueInList):
    """A league with its seasons, the newest first."""

    description: str
    seasons: list[SeasonInList]


class SignUp(Schema, extra="forbid"):
    """Signing up. `answer` is to the organisers' question, if they ask one."""

    answer: Annotated[str, Field(max_length=LONGEST_ANSWER)] = ""


class Place(Schema):
    """A person's place: the state of the season, whether it takes bots, and what became of their sign-up."""

    season: str
    takes_bots: bool
    state: str


@router.get(
    "/leagues", auth=ANYONE, response=list[LeagueInList], summary="Leagues", openapi_extra=NO_TOKEN_NEEDED
)
def leagues(request: HttpRequest) -> list[LeagueInList]:
    """Return the person's own leagues, then the newest public ones."""
    reader = reader_of(request)
    own = list(own_leagues(reader)) if reader else []
    return [
        LeagueInList(**_named(league, is_yours=league in own)) for league in [*own, *public_leagues(reader)]
    ]


@router.get(
    "/leagues/{number:league_id}",
    auth=ANYONE,
    response=LeagueSeen,
    summary="A league and its seasons",
    openapi_extra=NO_TOKEN_NEEDED,
)
def league(request: HttpRequest, league_id: int) -> LeagueSeen:
    """Return a league. A private one is open to its people alone."""
    access = get_league(request, league_id)
    found = access.league
    return LeagueSeen(
        **_named(found, is_yours=bool(access.user and access.is_person)),
        description=found.about,
        seasons=[
            SeasonInList(number=season.number, state=season.state, page=_page("season", found, season))
            for season in found.seasons.order_by("-number")
        ],
    )


@router.get(
    "/leagues/{number:league_id}/seasons/{number:season}",
    auth=ANYONE,
    summary="A season: rules, players, tables, standings",
    openapi_extra=NO_TOKEN_NEEDED,
)
def season(request: HttpRequest, league_id: int, season: int) -> dict[str, Any]:
    """Return what the season's file has: its rules, players, tables, results and standings."""
    _access, found = get_season(request, league_id, season)
    return season_as_json(found)


@router.get(
    "/leagues/{number:league_id}/seasons/{number:season}/divisions/{number:level}",
    auth=ANYONE,
    summary="The standings of a division",
    openapi_extra=NO_TOKEN_NEEDED,
)
def division(request: HttpRequest, league_id: int, season: int, level: int) -> dict[str, Any]:
    """Return what the division's file has: its standings, and the results they are computed from."""
    found = division_of(get_league(request, league_id), season, level)
    return standings_as_json(standings_page(found), reverse("division", args=[league_id, season, level]))


@router.get(
    "/leagues/{number:league_id}/seasons/{number:season}/place",
    auth=READ,
    response=Place,
    summary="Your place in a season",
)
def place(request: HttpRequest, league_id: int, season: int) -> Place:
    """Return the person's place in a season: its state is empty without one."""
    return _place(request, get_season(request, league_id, season)[1])


@router.post(
    "/leagues/{number:league_id}/seasons/{number:season}/place",
    auth=PLAY,
    response=Place,
    summary="Sign up for a season",
)
def sign_up(request: HttpRequest, league_id: int, season: int, sent: SignUp) -> Place:
    """Sign up for a place, or for the waiting list. Bots can where the season takes them."""
    found = get_season(request, league_id, season)[1]
    registration.sign_up(found, owner_of_token(request), sent.answer)
    return _place(request, found)


@router.post(
    "/leagues/{number:league_id}/seasons/{number:season}/place/confirmation",
    auth=PLAY,
    response=Place,
    summary="Confirm your place in a season",
)
def confirm_place(request: HttpRequest, league_id: int, season: int) -> Place:
    """Confirm the person's place, once the season asks its players to."""
    found = get_season(request, league_id, season)[1]
    entry = get_object_or_404(found.entries.select_related("user"), user=owner_of_token(request))
    registration.confirm(entry)
    return _place(request, found)


@router.delete(
    "/leagues/{number:league_id}/seasons/{number:season}/place",
    auth=PLAY,
    response=Place,
    summary="Leave a season before it begins",
)
def leave_place(request: HttpRequest, league_id: int, season: int) -> Place:
    """Give up the person's place before the season begins."""
    found = get_season(request, league_id, season)[1]
    registration.leave_season(found, owner_of_token(request))
    return _place(request, found)


def _place(request: HttpRequest, season: Season) -> Place:
    now = Season.objects.get(pk=season.pk)
    entry = now.entries.filter(user=owner_of_token(request)).first()
    return Place(
        season=now.state,
        takes_bots=bool(now.terms.get("takes_bots")),
        state=entry.state if entry else "",
    )


def _named(league: League, *, is_yours: bool) -> dict[str, Any]:
    return {
        "id": league.pk,
        "name": league.name,
        "is_private": league.is_private,
        "is_yours": is_yours,
        "page": _page("league", league),
    }


def _page(name: str, league: League, season: Season | None = None) -> str:
    return absolute_url(reverse(name, args=[league.pk, *([season.number] if season else [])]))
