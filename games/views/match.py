"""What a player of a match does between two games."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from games import services
from games.access import get_game_access
from games.forms.typed_text import read_number
from games.models import Game, Seat
from games.private_pages import private_page
from games.services import Refused


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
