"""The chronicle page of a finished game, for players, spectators, guests and holders of an email link."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.middleware import in_recipients_locale
from games.access import get_chronicle_access, get_practice_access
from games.links import BadLink
from games.models.replay import replayed
from games.presenters.analysis import analysis_page
from games.presenters.chronicle import Chronicle
from games.presenters.game_log import GameLog
from games.presenters.map_section import board_of
from games.presenters.position import Position
from games.presenters.reading import Reading, reading_through
from games.private_pages import private_page
from games.views.history import (
    player_reading,
    send_record,
    show_position,
    show_proof,
    spectator_reading,
)


@private_page
@require_safe
@login_required
def chronicle(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show the finished game's chronicle to its players. Raises Http404 while the game runs."""
    return show_chronicle(request, player_reading(request, game_id))


@private_page
@require_safe
def linked_chronicle(request: HttpRequest, token: str) -> HttpResponse:
    """Show the chronicle through the link in the game's last email."""
    return read_by_link(request, token, show_chronicle)


@private_page
@require_safe
def linked_position(request: HttpRequest, token: str, ply: int) -> HttpResponse:
    """Show the position after `ply` log entries, through the same link."""
    return read_by_link(request, token, lambda request, reading: show_position(request, reading, ply))


@private_page
@require_safe
def linked_record(request: HttpRequest, token: str) -> HttpResponse:
    """Send the finished game's record as a file, through the same link."""
    return read_by_link(request, token, send_record)


@private_page
@require_safe
def linked_proof(request: HttpRequest, token: str) -> HttpResponse:
    """Show the secret and the result of checking every shuffle, through the same link."""
    return read_by_link(request, token, show_proof)


def read_by_link(
    request: HttpRequest, token: str, show: Callable[[HttpRequest, Reading], HttpResponse]
) -> HttpResponse:
    """Show a page of a finished game to a player without signing in. Raises Http404 while the game runs."""
    try:
        access = get_chronicle_access(token)
    except BadLink:
        return render(request, "games/bad_seat_link.html", status=404)
    if not access.game.is_over:
        raise Http404
    is_signed_in = request.user == access.seat.user
    reading = (
        reading_through(access)
        if is_signed_in
        else Reading(access.game, access.names, "chronicle", token, seat=access.seat.number)
    )
    return in_recipients_locale(access.seat.user, request, lambda: show(request, reading))


@private_page
@require_safe
def watched_chronicle(request: HttpRequest, key: str, number: int | None = None) -> HttpResponse:
    """Show the chronicle to spectators."""
    return show_chronicle(request, spectator_reading(key, number))


@private_page
@require_safe
def practice_chronicle(request: HttpRequest, key: str) -> HttpResponse:
    """Show the chronicle to the guest of a practice game."""
    return show_chronicle(request, reading_through(get_practice_access(key)))


def show_chronicle(request: HttpRequest, reading: Reading) -> HttpResponse:
    """Render the chronicle page. Raises Http404 while the game runs."""
    if not reading.game.is_over:
        raise Http404
    position = Position(reading.game, replayed(reading.game), reading.names, None, reader=reading.seat)
    context = {
        "reading": reading,
        "table": reading.game.table,
        "game": reading.game,
        "board": board_of(position),
        "costliest": analysis_page(reading).costliest,
        "chronicle": Chronicle(GameLog(position), reading.position_url),
    }
    return render(request, "games/chronicle.html", context)
