"""Players who are away: coming back, and offering or taking their seats."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.addresses import readable_address
from accounts.zones import follow_browser
from games import services
from games.access import get_game_access, get_seat_of_joinable, person_of
from games.private_pages import private_page
from games.services import Refused
from games.views.arrangements import offer_of_absent, show_arrangements


@private_page
@require_POST
@login_required
def come_back(request: HttpRequest, game_id: int) -> HttpResponse:
    """Let the player for whom a bot plays take over again."""
    access = get_game_access(request, game_id)
    try:
        services.come_back(access.seat)
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("Welcome back. You are playing again."))
    return redirect("game", access.game.pk)


@private_page
@require_POST
@login_required
def offer_absent(request: HttpRequest, game_id: int, seat_id: int) -> HttpResponse:
    """Offer an away player's seat to an address, as the host. Raises Http404 for another game's seat."""
    access = get_game_access(request, game_id)
    seat = get_object_or_404(access.seat.table.seats.select_related("table", "user"), pk=seat_id)
    form = offer_of_absent(seat, request.POST)
    if not form.is_valid():
        problem = _("Enter the email address of the new player.")
        return show_arrangements(request, access, problem, absent={seat.number: form})
    email = form.cleaned_data["email"]
    try:
        services.offer_absent_seat(seat, access.seat.person, email)
    except Refused as refused:
        return show_arrangements(request, access, str(refused), absent={seat.number: form})
    said = _("You offered the seat to %(email)s by email.") % {"email": readable_address(email)}
    messages.success(request, said)
    return redirect("game", access.game.pk)


@private_page
@require_POST
@login_required
def take_absent(request: HttpRequest, key: str, seat_id: int) -> HttpResponse:
    """Take an away player's seat, at a table whose settings offer it."""
    seat = get_seat_of_joinable(key, seat_id)
    try:
        taken = services.take_absent_seat(seat, person_of(request))
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("join", key)
    follow_browser(request, person_of(request))
    messages.success(request, _("You have taken the seat and play on from here."))
    return redirect("table", taken.table_id)
