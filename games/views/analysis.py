"""The analysis of a finished game: its page, and the button that asks for it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from games.access import get_practice_access
from games.presenters.analysis import analysis_page
from games.presenters.reading import Reading, reading_through
from games.private_pages import private_page
from games.services import Refused, ask_analysis
from games.views.chronicle import read_by_link
from games.views.history import player_reading, require_end, spectator_reading

METHODS = ("GET", "HEAD", "POST")


@private_page
@require_http_methods(METHODS)
@login_required
def of_game(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show the analysis of a game to its players, or ask for it. Raises Http404 while the game runs."""
    return _show_or_ask(request, player_reading(request, game_id))


@private_page
@require_http_methods(METHODS)
def linked(request: HttpRequest, token: str) -> HttpResponse:
    """Show the analysis, or ask for it, through the link in the game's last email."""
    return read_by_link(request, token, _show_or_ask)


@private_page
@require_http_methods(METHODS)
def of_practice(request: HttpRequest, key: str) -> HttpResponse:
    """Show the analysis of a practice game to its guest, or ask for it."""
    return _show_or_ask(request, reading_through(get_practice_access(key)))


@private_page
@require_safe
def watched(request: HttpRequest, key: str, number: int | None = None) -> HttpResponse:
    """Show the analysis to spectators, who can't ask for it."""
    reading = spectator_reading(key, number)
    require_end(reading)
    return _show(request, reading)


def _show_or_ask(request: HttpRequest, reading: Reading) -> HttpResponse:
    require_end(reading)
    if request.method != "POST":
        return _show(request, reading)
    try:
        ask_analysis(reading.game)
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect(reading.analysis_url)


def _show(request: HttpRequest, reading: Reading) -> HttpResponse:
    context = {"page": analysis_page(reading), "reading": reading, "table": reading.game.table}
    return render(request, "games/analysis.html", context)
