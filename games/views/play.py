"""The game page, the confirmation of a move, and the move itself; signed in or by email link."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.middleware import in_recipients_locale
from accounts.models import User
from games.access import (
    GameAccess,
    begin_visit,
    followed_in_visit,
    get_game_access,
    get_link_access,
    person_of,
)
from games.forms.typed_moves import read_move, read_order
from games.forms.typed_text import read_number
from games.links import BadLink, LinkedDecision
from games.models import Game, LogEntry, Seat
from games.narration.orders import aside_label, aside_later_text, refused_order
from games.narration.refusals import refusal, unreadable
from games.narration.seat_names import shown_names
from games.orders import Aside, Kind, Order
from games.presenters.battle import lines_section
from games.presenters.choices import move_made
from games.presenters.game_log import GameLog
from games.presenters.game_news import GameNews
from games.presenters.guide import ALL as NO_MORE
from games.presenters.guide import HINTS
from games.presenters.map_section import board_of
from games.presenters.orders import limit_after, orders_of
from games.presenters.position import Position, position_through
from games.private_pages import private_page
from games.rules import IllegalMove, InvalidMove, Move, parse_move
from games.services import (
    AlreadyPlayed,
    BadOrder,
    NotAsked,
    Played,
    Refused,
    StaleOrder,
    give_order_after,
    may_order_after,
    submit_move,
)
from games.services.first_games import read_hint
from games.views.game_page import show_game, turn_away


@private_page
@require_safe
@login_required
def game(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show the game as the signed-in player's seat sees it."""
    return show_game(request, get_game_access(request, game_id))


@private_page
@require_POST
@login_required
def game_move(request: HttpRequest, game_id: int) -> HttpResponse:
    """Make the signed-in player's move. Their access is read only if the move is not made."""
    return _play(request, game_id, person_of(request), lambda: get_game_access(request, game_id))


@private_page
@require_POST
@login_required
def game_hint(request: HttpRequest, game_id: int) -> HttpResponse:
    """Put the signed-in player's hint away."""
    return put_hint_away(request, get_game_access(request, game_id))


@private_page
@require_safe
def answer(request: HttpRequest, token: str) -> HttpResponse:
    """Show the game through an email link.

    The hand is shown while the link's decision is open and in the visit that answered it. Otherwise only what
    everyone may see is shown.
    """
    return _by_link(request, token, show_game)


@private_page
@require_safe
def answer_confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Show an email link's move, perhaps with a standing order, to confirm; opening it changes nothing."""
    return _by_link(request, token, _show_confirmation)


@private_page
@require_POST
def answer_move(request: HttpRequest, token: str) -> HttpResponse:
    """Make the move of the person who holds the email link."""
    return _by_link(request, token, make_move)


def _by_link(
    request: HttpRequest, token: str, show: Callable[[HttpRequest, GameAccess], HttpResponse]
) -> HttpResponse:
    try:
        access = get_link_access(request, token)
    except BadLink:
        return render(request, "games/bad_seat_link.html", status=404)
    return in_recipients_locale(access.seat.user, request, lambda: show(request, access))


def _show_confirmation(request: HttpRequest, access: GameAccess) -> HttpResponse:
    """Show an email's choice with its consequences and one button.

    A card that can be played in several ways is picked on the game page, where its ways are.
    """
    position = position_through(access)
    decision_step = request.GET.get("decision_step", "")
    if position.decision_step is None or (decision_step and decision_step != str(position.decision_step)):
        if request.GET.get("order") == Kind.ASIDE and _may_order_after(access):
            return _confirm_aside(request, access)
        return show_game(request, access, _closed_decision(position), 409)
    chosen = read_move(request.GET)
    if chosen in position.seen.legal:
        kind = request.GET.get("order", "")
        return _confirmation(request, access, position, parse_move(str(chosen)), kind)
    if picked := _begun_card(position, str(chosen)):
        return show_game(request, access, picked=picked)
    problem = _not_a_choice(position, chosen) if isinstance(chosen, str) else _why_illegal(position, chosen)
    return show_game(request, access, problem, 400)


def _begun_card(position: Position, begun: str) -> str:
    """Return the card whose moves these words begin; empty for none."""
    cards = (move.card for move in position.seen.legal if move.card and str(move).startswith(begun + " "))
    return next(cards, "") or ""


def _closed_decision(position: Position) -> str:
    if position.decision_step is not None:
        return _("That turn is over. Nothing was changed. This is your current turn.")
    return _("That turn is over. Nothing was changed.")


def _not_a_choice(position: Position, begun: str) -> str:
    """Explain what is wrong with the beginning of a move that no legal move has."""
    for ending in ("off", "nothing"):
        try:
            return _why_illegal(position, parse_move(f"{begun} {ending}"))
        except InvalidMove:
            continue
    return unreadable(begun) if begun else _("Choose a move first.")


def _why_illegal(position: Position, move: Move) -> str:
    error = position.why_not(move)
    return refusal(error) if error else ""


def _confirmation(
    request: HttpRequest, access: GameAccess, position: Position, move: Move, kind: str
) -> HttpResponse:
    """Show what a move leads to, and a button; `kind` is the standing order to give with it, if any."""
    news = GameNews(GameLog(position))
    orders, name = orders_of(position, move), position.choices.move_name(move)
    order = next((order for order in orders if order.kind == kind), None)
    context = {
        "access": access,
        "table": access.seat.table,
        "lines": lines_section(position, news.laid),
        "board": board_of(position, selected=move.region, taken=news.moment.region if news.moment else None),
        "options": position.seen.options,
        "decision_step": position.decision_step,
        "move": move,
        "move_name": name,
        "title": order.label if order else name,
        "order": order,
        "others": [other for other in orders if other != order and other.kind != Kind.ASIDE],
        "fight": next((other.fight for other in orders if other.fight), None),
        "follows": position.choices.follows(move),
        "shown_cards": [move.card] if move.card else move.cards,
    }
    return render(request, "games/confirm.html", context)


def _may_order_after(access: GameAccess) -> bool:
    decision = access.decision
    return decision is not None and may_order_after(access.game, access.seat, decision.decision_step)


def _confirm_aside(request: HttpRequest, access: GameAccess) -> HttpResponse:
    """Show the button to stand aside after one's move, by the link of the email that asked for it."""
    context = {
        "access": access,
        "table": access.seat.table,
        "title": aside_label(),
        "text": aside_later_text(),
    }
    return render(request, "games/confirm_aside.html", context)


def make_move(request: HttpRequest, access: GameAccess) -> HttpResponse:
    """Make the posted move of a guest, or of the person who holds the email link."""
    return _play(request, access.game.pk, access.seat, lambda: access, access.decision)


def _play(
    request: HttpRequest,
    game_id: int,
    player: Seat | User,
    read_access: Callable[[], GameAccess],
    link: LinkedDecision | None = None,
) -> HttpResponse:
    """Play the posted move, then redirect to the player's next decision if it follows at once."""
    move = read_move(request.POST)
    if isinstance(move, str):
        return show_game(request, read_access(), unreadable(move) if move else _("Choose a move first."), 400)
    decision_step = link.decision_step if link else read_number(request.POST.get("decision_step", ""))
    if decision_step is None:
        return show_game(request, read_access(), _("Nothing was changed. Choose a move on the page."), 400)

    def limit_above_line(margin: int) -> int:
        return limit_after(position_through(read_access()), move, margin)

    order = read_order(request.POST, move, limit_above_line)
    via = LogEntry.Via.LINK if link else LogEntry.Via.WEB
    try:
        played = submit_move(game_id, player, move, decision_step, via, order)
    except (BadOrder, NotAsked, IllegalMove, Refused) as error:
        return _show_why_not(request, read_access(), move, order, decision_step, error)
    except Game.DoesNotExist as gone:
        raise Http404 from gone
    access = GameAccess(played.game, played.seat) if isinstance(player, User) else read_access()
    if access.has_guide and (hint := request.POST.get("hint")) in HINTS:
        read_hint(access.seat, hint)
    return _redirect_after_move(request, access, move, played)


def _show_why_not(
    request: HttpRequest,
    access: GameAccess,
    move: Move,
    order: Order | None,
    decision_step: int,
    error: Exception,
) -> HttpResponse:
    """Show the game with the reason why the move was not made."""
    match error:
        case BadOrder():
            return show_game(request, access, refused_order(error.problems), 400, picked=move.card or "")
        case AlreadyPlayed() if isinstance(order, Aside):
            return _stand_aside_after(request, access, order, decision_step, error)
        case AlreadyPlayed():
            return show_game(request, access, _already(error), 409)
        case IllegalMove():
            return show_game(request, access, refusal(error), 400)
        case Refused():
            return turn_away(request, access, error)
    return show_game(request, access, _closed_decision(position_through(access)), 409)


def _stand_aside_after(
    request: HttpRequest, access: GameAccess, order: Aside, decision_step: int, played: AlreadyPlayed
) -> HttpResponse:
    """Give the order to stand aside after a move that was made before."""
    try:
        give_order_after(access.game, access.seat, order, decision_step)
    except (BadOrder, StaleOrder):
        return show_game(request, access, _already(played), 409)
    except Refused as refused:
        return turn_away(request, access, refused)
    messages.info(request, _("Your standing order is in. Only you can see it."))
    return redirect(access.decision_url)


def _already(played: AlreadyPlayed) -> str:
    if played.via == LogEntry.Via.ORDER:
        return _("Your standing order has already answered for that turn. Nothing was changed.")
    return _("You have already made your move for that turn. It was not changed.")


@private_page
@require_POST
def answer_hint(request: HttpRequest, token: str) -> HttpResponse:
    """Put a hint away for the person who holds the email link."""
    return _by_link(request, token, put_hint_away)


def put_hint_away(request: HttpRequest, access: GameAccess) -> HttpResponse:
    """Remember that the guide's hint has been read, or that no more are wanted."""
    key = request.POST.get("hint", "")
    is_shown = access.has_guide and access.opens(access.seat.decision_step)
    if is_shown and (key in HINTS or key == NO_MORE):
        read_hint(access.seat, key)
    return redirect(access.decision_url)


def _redirect_after_move(
    request: HttpRequest, access: GameAccess, move: Move, played: Played
) -> HttpResponse:
    if not played.game.is_over:
        names = shown_names(played.seats, access.seat.user)
        messages.info(request, move_made(move, names, access.seat.number))
    following = played.next_decision.decision_step if played.next_decision else None
    if access.is_link:
        following = _visit_goes_on(request, access, following, played)
    return redirect(access.next_page_url(following))


def _visit_goes_on(
    request: HttpRequest, access: GameAccess, following: int | None, played: Played
) -> int | None:
    """Return the decision that the link's holder goes on to at once, or None.

    It follows an answer given now. The same answer sent again opens nothing: otherwise an old email would
    open newer decisions. The session of the first answer distinguishes a double click from that.
    """
    if not played.again:
        begin_visit(request, access, following)
        return following
    return following if following == followed_in_visit(request, access) else None
