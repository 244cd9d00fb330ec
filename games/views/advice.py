"""A player at a practice table asks what Strategist would play."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from games.access import GameAccess, get_game_access, get_practice_access
from games.private_pages import private_page
from games.services import Refused, ask_advice
from games.views.game_page import turn_away


@private_page
@require_POST
@login_required
def at_game(request: HttpRequest, game_id: int) -> HttpResponse:
    """Ask about the signed-in player's turn."""
    return _ask(request, get_game_access(request, game_id))


@private_page
@require_POST
def at_practice(request: HttpRequest, key: str) -> HttpResponse:
    """Ask about the guest's turn."""
    return _ask(request, get_practice_access(key))


def _ask(request: HttpRequest, access: GameAccess) -> HttpResponse:
    try:
        ask_advice(access.game, access.seat)
    except Refused as refused:
        return turn_away(request, access, refused)
    return redirect(f"{access.page_url}#advice")
