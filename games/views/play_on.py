"""Play on against bots: from a position of a finished game, or by taking back a move in practice."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.rate_limits import client_key, hit
from games import services
from games.access import GameAccess, get_game_access, get_practice_access, person_of, reader_of
from games.forms.play_on import PlayOnForm
from games.models import Game
from games.presenters.reading import Reading, reading_through
from games.private_pages import private_page
from games.services import Refused
from games.views.chronicle import read_by_link
from games.views.game_page import turn_away
from games.views.history import player_reading, position_at, show_position, spectator_reading
from games.views.practice import PRACTICES_A_DAY, too_many_today


@private_page
@require_POST
@login_required
def from_game(request: HttpRequest, game_id: int, ply: int) -> HttpResponse:
    """Play on from a position of the player's own finished game."""
    return _play_on(request, player_reading(request, game_id), ply)


@private_page
@require_POST
def from_linked(request: HttpRequest, token: str, ply: int) -> HttpResponse:
    """Play on from a position, through the link in the game's last email."""
    return read_by_link(request, token, lambda request, reading: _play_on(request, reading, ply))


@private_page
@require_POST
def from_watched(request: HttpRequest, key: str, ply: int, number: int | None = None) -> HttpResponse:
    """Play on from a position of a game that the reader may watch."""
    return _play_on(request, spectator_reading(key, number), ply)


@private_page
@require_POST
def from_practice(request: HttpRequest, key: str, ply: int) -> HttpResponse:
    """Play on from a position of a guest's finished practice game."""
    return _play_on(request, reading_through(get_practice_access(key)), ply)


def _play_on(request: HttpRequest, reading: Reading, ply: int) -> HttpResponse:
    """Begin a practice game from the position; limited with all practice games of a day.

    Raises Http404 while the game runs, and where nothing is left to play.
    """
    if not position_at(request, reading, ply).can_be_played_on:
        raise Http404
    form = PlayOnForm(reading, request.POST)
    if not form.is_valid():
        return show_position(request, reading, ply, form, 400)
    if not hit("practice", client_key(request), PRACTICES_A_DAY):
        form.add_error(None, too_many_today())
        return show_position(request, reading, ply, form, 429)
    user, path = reader_of(request), reading.public_position_url(ply)
    return _to(services.play_on(reading.game, ply, user=user, path=path, **form.cleaned_data))


def _to(game: Game) -> HttpResponse:
    key = game.table.practice_key
    return redirect("game", game.pk) if key is None else redirect("practice", key)


@private_page
@require_POST
@login_required
def take_back_at_game(request: HttpRequest, game_id: int) -> HttpResponse:
    """Take back the person's last move in their practice game. A form sent twice takes back one."""
    form_key, person = _form_key(request), person_of(request)
    try:
        access = get_game_access(request, game_id)
    except Http404:  # also once the move is taken back: the old game is no longer theirs
        made = Game.objects.of(person).filter(table__form_key=form_key).first() if form_key else None
        if made is None:
            raise
        return redirect("game", made.pk)
    return _take_back(request, access, form_key)


@private_page
@require_POST
def take_back_at_practice(request: HttpRequest, key: str) -> HttpResponse:
    """Take back the guest's last move. A form sent twice takes back one."""
    access, form_key = get_practice_access(key), _form_key(request)
    if access.seat.table.form_key == form_key:
        return redirect(access.decision_url)
    return _take_back(request, access, form_key)


def _form_key(request: HttpRequest) -> UUID | None:
    try:
        return UUID(request.POST.get("form_key", ""))
    except ValueError:
        return None


def _take_back(request: HttpRequest, access: GameAccess, form_key: UUID | None) -> HttpResponse:
    try:
        game = services.take_back_move(access.game, access.seat, form_key)
    except Refused as refused:
        return turn_away(request, access, refused)
    messages.success(request, _("You took back your last move. Later shuffles will be new."))
    return _to(game)
