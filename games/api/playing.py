"""The interface for programs: moves and standing orders, as the forms of a game's page take them."""

from __future__ import annotations

from typing import Annotated, Literal

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Schema
from pydantic import Field

from accounts.api_access import PLAY
from accounts.api_problems import ApiProblem
from games.access import get_game_access
from games.api.logs import Step
from games.api.shapes import GameSeen, game_seen
from games.forms.typed_moves import LONGEST_MOVE, MOST_LISTED
from games.narration.orders import refused_order
from games.narration.refusals import refusal, unreadable
from games.orders import HOLD, Aside, Fight, Order
from games.rules import IllegalMove, InvalidMove, Move, parse_move
from games.services import (
    AlreadyPlayed,
    BadOrder,
    NotAsked,
    StaleOrder,
    be_ready,
    come_back,
    give_order,
    submit_move,
    withdraw_order,
)

router = Router(tags=["playing"])


class AsideIn(Schema, extra="forbid"):
    """Stand aside: pass as long as others fight. `firm`: even against one last rival."""

    kind: Literal["aside"]
    firm: bool = False


class HoldIn(Schema, extra="forbid"):
    """Hold: pass once all others are out and that wins the battle."""

    kind: Literal["hold"]


class FightIn(Schema, extra="forbid"):
    """Fight on with these cards, one after the other, until another's strength reaches the limit."""

    kind: Literal["fight"]
    cards: Annotated[list[Annotated[str, Field(max_length=20)]], Field(min_length=1, max_length=MOST_LISTED)]
    limit: Annotated[int, Field(ge=0, le=1000)]
    passes_at_limit: bool = False


OrderIn = Annotated[AsideIn | HoldIn | FightIn, Field(discriminator="kind")]


class MoveIn(Schema, extra="forbid"):
    """A move for the decision of a step. An order given with it counts from after the move."""

    step: Step
    move: Annotated[str, Field(max_length=LONGEST_MOVE)]
    order: OrderIn | None = None


class StandingOrderIn(Schema, extra="forbid"):
    """A standing order, given while others decide. `step` is that of the game."""

    step: Step
    order: OrderIn


class NextGameIn(Schema, extra="forbid"):
    """The number of a game of the match, for which the person is ready."""

    number: Annotated[int, Field(ge=1, le=10_000)]


@router.post("/games/{number:game_id}/moves", auth=PLAY, response=GameSeen, summary="Make a move")
def make_move(request: HttpRequest, game_id: int, sent: MoveIn) -> GameSeen:
    """Make the person's move. The same move for the same step again changes nothing and answers the same."""
    access = get_game_access(request, game_id)
    move, order = _move(sent.move), None if sent.order is None else _order(sent.order)
    try:
        submit_move(game_id, access.seat, move, sent.step, access.via, order)
    except BadOrder as bad:
        raise ApiProblem(400, "bad-order", refused_order(bad.problems)) from bad
    except AlreadyPlayed as played:
        said = _("You have already made your move for that turn. It was not changed.")
        raise ApiProblem(409, "already-played", said) from played
    except NotAsked as late:
        raise ApiProblem(409, "not-your-turn", _("That turn is over. Nothing was changed.")) from late
    except IllegalMove as illegal:
        raise ApiProblem(400, "illegal-move", refusal(illegal)) from illegal
    return seen_now(request, game_id)


@router.post("/games/{number:game_id}/order", auth=PLAY, response=GameSeen, summary="Give a standing order")
def order(request: HttpRequest, game_id: int, sent: StandingOrderIn) -> GameSeen:
    """Give a standing order while others decide. It replaces an older one."""
    access = get_game_access(request, game_id)
    try:
        give_order(access.game, access.seat, _order(sent.order), sent.step)
    except StaleOrder as stale:
        said = _("The game has moved on, so your order was not given. This is the current position.")
        raise ApiProblem(409, "stale-order", said) from stale
    except BadOrder as bad:
        raise ApiProblem(400, "bad-order", refused_order(bad.problems)) from bad
    return seen_now(request, game_id)


@router.delete(
    "/games/{number:game_id}/order", auth=PLAY, response=GameSeen, summary="Withdraw your standing order"
)
def withdraw(request: HttpRequest, game_id: int) -> GameSeen:
    """Withdraw the person's standing order, if they have one."""
    access = get_game_access(request, game_id)
    withdraw_order(access.game, access.seat)
    return seen_now(request, game_id)


@router.post("/games/{number:game_id}/next", auth=PLAY, response=GameSeen, summary="Go on with a match")
def go_on(request: HttpRequest, game_id: int, sent: NextGameIn) -> GameSeen:
    """Say that the person is ready for the next game of a match. It begins once everyone is ready.

    The answer is that game, if it has begun. Saying it again changes nothing.
    """
    access = get_game_access(request, game_id)
    begun = be_ready(access.seat, sent.number)
    return seen_now(request, begun.pk if begun else game_id)


@router.post("/games/{number:game_id}/back", auth=PLAY, response=GameSeen, summary="Take your seat back")
def back(request: HttpRequest, game_id: int) -> GameSeen:
    """Take the seat back that the site's bot plays because the person was away. Safe to repeat."""
    access = get_game_access(request, game_id)
    come_back(access.seat)
    return seen_now(request, game_id)


def _move(text: str) -> Move:
    try:
        return parse_move(text)
    except InvalidMove as invalid:
        raise ApiProblem(400, "not-a-move", unreadable(text)) from invalid


def _order(sent: AsideIn | HoldIn | FightIn) -> Order:
    if isinstance(sent, AsideIn):
        return Aside(sent.firm)
    if isinstance(sent, HoldIn):
        return HOLD
    return Fight(tuple(sent.cards), sent.limit, sent.passes_at_limit)


def seen_now(request: HttpRequest, game_id: int) -> GameSeen:
    """Return the game after a change, read again as a page would be."""
    method, request.method = request.method, "GET"
    try:
        return game_seen(get_game_access(request, game_id))
    finally:
        request.method = method
