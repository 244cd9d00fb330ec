"""A league's log, for whoever may read the league."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from games.leagues.access import LeagueDoor
from games.leagues.overview.log import deeds_of, lines_of
from games.leagues.views.reading import of_league, page_of


@of_league
def log(request: HttpRequest, door: LeagueDoor) -> HttpResponse:
    """What was done, the newest first; why it was done is told to the league's people."""
    page = page_of(request, deeds_of(door.league))
    context = {
        "league": door.league,
        "door": door,
        "page": page,
        "lines": lines_of(page.object_list, with_reasons=door.is_person),
    }
    return render(request, "leagues/log.html", context)
