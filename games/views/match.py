"""What a player of a match does between two games, and the whole match as a file."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from games import services
from games.access import get_game_access, get_watched_table, private_page
from games.forms.typed_text import read_number
from games.models import Game, Seat, Table
from games.models.matches import winners_of_match
from games.narration.seat_names import shown_names
from games.selectors.records import record_of, record_text
from games.services import Refused
from games.views.history import send_records


@private_page
@require_POST
@login_required
def go_on(request: HttpRequest, game_id: int) -> HttpResponse:
    """Record that the signed-in player has seen the game's result, so that the next game may begin."""
    access = get_game_access(request, game_id)
    begun = say_ready(request, access.seat)
    return redirect("game", begun.pk if begun else access.game.pk)


def say_ready(request: HttpRequest, seat: Seat) -> Game | None:
    """Carry out the posted "Go on" and add a message; return the next game if it has begun."""
    number = read_number(request.POST.get("number", ""))
    if number is None:
        messages.error(request, _("Nothing was changed. Use the button on the page."))
        return None
    try:
        begun = services.be_ready(seat, number)
    except Refused as refused:
        messages.error(request, str(refused))
        return None
    messages.success(
        request,
        _("The next game has started.")
        if begun
        else _("You are ready. The next game starts when everyone is."),
    )
    return begun


@private_page
@require_safe
@login_required
def whole_match(request: HttpRequest, game_id: int) -> HttpResponse:
    """Send all records of a finished match to its players."""
    access = get_game_access(request, game_id)
    return _send_match(request, access.seat.table, access.names)


@private_page
@require_safe
def watched_match(request: HttpRequest, key: str) -> HttpResponse:
    """Send all records of a finished match to spectators."""
    table = get_watched_table(key)
    return _send_match(request, table, shown_names(table.seats.select_related("user"), None))


def _send_match(request: HttpRequest, table: Table, names: tuple[str, ...]) -> HttpResponse:
    """Send the records as JSON Lines, counted as one download. Raises Http404 while the match goes on."""
    games = list(Game.objects.select_related("table").filter(table=table).order_by("number"))
    if winners_of_match(table, games) is None:
        raise Http404
    return send_records(
        request,
        lambda: "".join([record_text(record_of(game, names)) for game in games]),
        f"condottiere-match-{table.pk}.jsonl",
    )
