"""The page for an address that shows its reader nothing; it tells former players of a game that they left."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.defaults import page_not_found

from games.access import HasLeft
from games.private_pages import private_page


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that there is no such page, or that the reader is no longer in this game."""
    return _left_game(request) if isinstance(exception, HasLeft) else page_not_found(request, exception)


@private_page
def _left_game(request: HttpRequest) -> HttpResponse:
    return render(request, "games/left_game.html", status=404)
