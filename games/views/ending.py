"""What a player does to end a game, or to leave it: propose, agree, refuse, give his seat up (R49)."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.models import User
from games import commands
from games.access import Door, get_door
from games.commands import Refused
from games.forms import OfferForm
from games.models import Game, Invitation, Proposal, Seat
from games.private import private_page
from games.views.arrangements import show_arrangements


@private_page
@require_POST
@login_required
def propose_end(request: HttpRequest, game_id: int) -> HttpResponse:
    """Propose to all that the game end now."""
    door = get_door(request, game_id)
    result = request.POST.get("result", "")
    if result not in (Proposal.What.MOST_REGIONS, Proposal.What.NONE):
        return show_arrangements(request, door, _("Choose from the page who shall win."))
    try:
        commands.propose_end(door.seat, door.game, result)
    except Refused as refused:
        return show_arrangements(request, door, str(refused))
    return _done(request, door, _("Your proposal waits for the others."))


@private_page
@require_POST
@login_required
def answer_end(request: HttpRequest, game_id: int, proposal_id: int) -> HttpResponse:
    """Agree to a proposal to end the game, refuse it, or take one's own back. Raises Http404 for another
    game's."""
    door = get_door(request, game_id)
    proposal = get_object_or_404(door.game.proposals, pk=proposal_id)
    answers: dict[str, tuple[Callable[[Seat, Proposal], None], str]] = {
        "accept": (commands.accept_proposal, _("You have agreed.")),
        "refuse": (commands.refuse_proposal, _("The proposal is closed: the game goes on.")),
    }
    if request.POST.get("action") not in answers:
        return _refused(request, door, _("Choose one of the answers on the page."))
    answer, said = answers[request.POST["action"]]
    try:
        answer(door.seat, proposal)
    except Refused as refused:
        return _refused(request, door, str(refused))
    return _done(request, door, said)


@private_page
@require_POST
@login_required
def give_up(request: HttpRequest, game_id: int) -> HttpResponse:
    """Give one's seat to a bot; what one has left is answered as what never was."""
    seats = Seat.objects.select_related("table", "user")
    seat = seats.filter(table__games=game_id, user=_person(request)).first()
    if seat is None:  # a second click, or a stranger: the answer tells neither whether the game exists
        messages.info(request, _("You have no seat in that game."))
        return redirect("my_games")
    try:
        commands.give_up(seat)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("game", game_id)
    messages.success(request, _("You have left %(table)s. A bot plays on.") % {"table": seat.table.name})
    return redirect("my_games")


@private_page
@require_POST
@login_required
def hand_over(request: HttpRequest, game_id: int) -> HttpResponse:
    """Offer one's seat to an address; until it is taken one plays on."""
    door = get_door(request, game_id)
    form = OfferForm(request.POST)
    if not form.is_valid():
        problem = _("Type the e-mail address of who shall play on.")
        return show_arrangements(request, door, problem, {"offer_form": form})
    email = form.cleaned_data["email"]
    try:
        commands.hand_over(door.seat, email)
    except Refused as refused:
        return show_arrangements(request, door, str(refused), {"offer_form": form})
    messages.success(request, _("A letter offers your seat to %(email)s.") % {"email": email})
    return redirect("game_arrangements", door.game.pk)


@private_page
@require_POST
@login_required
def take_back(request: HttpRequest, game_id: int) -> HttpResponse:
    """Offer one's seat no more; what is not offered is told the same."""
    door = get_door(request, game_id)
    withdrawn = Invitation.State.WITHDRAWN
    offer = door.seat.invitations.filter(state__in=(Invitation.State.SENT, withdrawn)).last()
    if offer is None:
        return show_arrangements(request, door, _("Your seat is offered to nobody."))
    try:
        commands.close_offer(offer, withdrawn)
    except Refused as refused:
        return show_arrangements(request, door, str(refused))
    messages.success(request, _("The offer is taken back."))
    return redirect("game_arrangements", door.game.pk)


def _done(request: HttpRequest, door: Door, said: str) -> HttpResponse:
    """Say so, unless that has ended the game; back to the game."""
    ended = Game.objects.get(pk=door.game.pk).is_over
    messages.success(request, _("The game has ended.") if ended else said)
    return redirect("game", door.game.pk)


def _refused(request: HttpRequest, door: Door, why: str) -> HttpResponse:
    """An answer to a proposal, which stands on the game's page, was not taken."""
    messages.error(request, why)
    return redirect("game", door.game.pk)


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
