"""Give and withdraw a standing order without a move; signed in or at a practice table."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from games.access import GameAccess, get_game_access, get_practice_access
from games.forms.typed_moves import read_fight
from games.forms.typed_text import read_number
from games.narration.orders import refused_order
from games.orders import HOLD, Aside, Kind, Order
from games.presenters.orders import limit_now
from games.presenters.position import position_through
from games.private_pages import private_page
from games.services import BadOrder, Refused, StaleOrder, give_order, withdraw_order
from games.views.game_page import show_game, turn_away


@private_page
@require_POST
@login_required
def game_order(request: HttpRequest, game_id: int) -> HttpResponse:
    """Give or withdraw the signed-in player's standing order."""
    return _change_order(request, get_game_access(request, game_id))


@private_page
@require_POST
def practice_order(request: HttpRequest, key: str) -> HttpResponse:
    """Give or withdraw the guest's standing order."""
    return _change_order(request, get_practice_access(key))


def _change_order(request: HttpRequest, access: GameAccess) -> HttpResponse:
    asked = request.POST.get("order", "")
    if asked == "withdraw":
        return _withdraw(request, access)
    order = _asked_order(request, access, asked)
    if order is None:
        return show_game(request, access, _("Nothing was changed. Choose a standing order on the page."), 400)
    return _give(request, access, order)


def _asked_order(request: HttpRequest, access: GameAccess, asked: str) -> Order | None:
    match asked:
        case Kind.ASIDE:
            return Aside("firm" in request.POST)
        case Kind.HOLD:
            return HOLD
        case Kind.FIGHT:
            return read_fight(request.POST, lambda margin: limit_now(position_through(access), margin))
    return None


def _withdraw(request: HttpRequest, access: GameAccess) -> HttpResponse:
    try:
        was_withdrawn = withdraw_order(access.game, access.seat)
    except Refused as refused:
        return turn_away(request, access, refused)
    done, nothing = _("You decide yourself again."), _("Your standing order had already ended.")
    messages.info(request, done if was_withdrawn else nothing)
    return redirect(access.decision_url)


def _give(request: HttpRequest, access: GameAccess, order: Order) -> HttpResponse:
    try:
        give_order(access.game, access.seat, order, read_number(request.POST.get("step", "")) or 0)
    except StaleOrder:
        problem = _("The game has moved on, so your order was not given. This is the current position.")
        return show_game(request, access, problem, 409)
    except BadOrder as bad:
        return show_game(request, access, refused_order(bad.problems), 400)
    except Refused as refused:
        return turn_away(request, access, refused)
    messages.info(request, _("Your standing order is in. Only you can see it."))
    return redirect(access.decision_url)
