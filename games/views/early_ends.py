"""Ending a game early by agreement, or leaving it (R49)."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.addresses import readable_address
from games import services
from games.access import GameAccess, get_game_access, person_of
from games.forms.invitations import OfferForm
from games.models import Game, Invitation, Proposal, Seat
from games.private_pages import private_page
from games.services import Refused
from games.views.arrangements import show_arrangements


@private_page
@require_POST
@login_required
def propose_end(request: HttpRequest, game_id: int) -> HttpResponse:
    """Propose to everyone that the game end now."""
    access = get_game_access(request, game_id)
    result = request.POST.get("result", "")
    if result not in (Proposal.What.MOST_REGIONS, Proposal.What.NONE):
        return show_arrangements(request, access, _("Choose one of the results on the page."))
    try:
        services.propose_end(access.seat, access.game, result)
    except Refused as refused:
        return show_arrangements(request, access, str(refused))
    return _done(request, access, _("You made a proposal. The others have to agree."))


@private_page
@require_POST
@login_required
def answer_end(request: HttpRequest, game_id: int, proposal_id: int) -> HttpResponse:
    """Agree to end the game, refuse, or withdraw your own proposal.

    Raises Http404 for another game's proposal.
    """
    access = get_game_access(request, game_id)
    proposal = get_object_or_404(access.game.proposals, pk=proposal_id)
    answers: dict[str, tuple[Callable[[Seat, Proposal], None], str]] = {
        "accept": (services.accept_proposal, _("You agreed to the proposal.")),
        "refuse": (services.refuse_proposal, _("The proposal is closed. The game goes on.")),
    }
    if request.POST.get("action") not in answers:
        return _refused(request, access, _("Choose one of the answers on the page."))
    answer, said = answers[request.POST["action"]]
    try:
        answer(access.seat, proposal)
    except Refused as refused:
        return _refused(request, access, str(refused))
    return _done(request, access, said)


@private_page
@require_POST
@login_required
def give_up(request: HttpRequest, game_id: int) -> HttpResponse:
    """Give your seat to a bot. A seat you already left gets the same answer as one you never had."""
    seats = Seat.objects.select_related("table", "user")
    seat = seats.filter(table__games=game_id, user=person_of(request)).first()
    if seat is None:  # a second click, or a stranger: the answer tells neither whether the game exists
        messages.info(request, _("You have no seat in that game."))
        return redirect("my_games")
    try:
        plays_on = services.give_up(seat)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("game", game_id)
    said = (
        _("You gave up your seat at %(table)s. A bot plays on.")
        if plays_on
        else _("You gave up your seat at %(table)s. With that, the game has ended.")
    )
    messages.success(request, said % {"table": seat.table.name})
    return redirect("my_games")


@private_page
@require_POST
@login_required
def hand_over(request: HttpRequest, game_id: int) -> HttpResponse:
    """Offer your seat to an address; you play on until it is taken."""
    access = get_game_access(request, game_id)
    form = OfferForm(request.POST)
    if not form.is_valid():
        problem = _("Enter the email address of the new player.")
        return show_arrangements(request, access, problem, {"offer_form": form})
    email = form.cleaned_data["email"]
    try:
        services.hand_over(access.seat, email)
    except Refused as refused:
        return show_arrangements(request, access, str(refused), {"offer_form": form})
    said = _("You offered your seat to %(email)s by email.") % {"email": readable_address(email)}
    messages.success(request, said)
    return redirect("game_arrangements", access.game.pk)


@private_page
@require_POST
@login_required
def take_back(request: HttpRequest, game_id: int) -> HttpResponse:
    """Withdraw the offer of your seat; the answer is the same if there was none."""
    access = get_game_access(request, game_id)
    withdrawn = Invitation.State.WITHDRAWN
    offer = access.seat.invitations.filter(state__in=(Invitation.State.SENT, withdrawn)).last()
    if offer is None:
        return show_arrangements(request, access, _("You have not offered your seat to anyone."))
    try:
        services.close_offer(offer, withdrawn)
    except Refused as refused:
        return show_arrangements(request, access, str(refused))
    messages.success(request, _("You withdrew the offer."))
    return redirect("game_arrangements", access.game.pk)


def _done(request: HttpRequest, access: GameAccess, said: str) -> HttpResponse:
    """Add this message, unless the action ended the game; redirect to the game."""
    ended = Game.objects.get(pk=access.game.pk).is_over
    messages.success(request, _("The game has ended.") if ended else said)
    return redirect("game", access.game.pk)


def _refused(request: HttpRequest, access: GameAccess, why: str) -> HttpResponse:
    """Report that an answer to a proposal, shown on the game's page, was not accepted."""
    messages.error(request, why)
    return redirect("game", access.game.pk)
