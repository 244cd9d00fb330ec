"""Standings that other sites may show inside their own pages, for public leagues only.

They look the same for everyone: they know no reader, and nothing in them changes anything.
"""

from __future__ import annotations

from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from games.leagues.access import LeagueAccess
from games.leagues.models import League
from games.leagues.selectors.mid_season import mid_season
from games.leagues.selectors.standings_page import standings_page
from games.leagues.views.exports import FRESH, in_language_of
from games.leagues.views.pages import division_of


@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})
def division_embed(request: HttpRequest, **where: int) -> HttpResponse:
    """Show a division's standings inside a page of another site; 404 in a private league."""
    league = League.objects.filter(pk=where["number"], is_private=False).first()
    if league is None:
        raise Http404
    access = LeagueAccess(league, None)
    found = division_of(access, where["season"], where["level"])
    page = standings_page(found)
    context = {
        "access": access,
        "season": found.season,
        "division": found,
        "page": page,
        "standings": mid_season(page),
    }
    with in_language_of(request):
        response = render(request, "leagues/embed.html", context)
    patch_cache_control(response, public=True, max_age=FRESH)
    patch_vary_headers(response, ("Accept-Language",))
    return response
