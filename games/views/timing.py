"""What a player does about time: pause, go on, more time, with the others or alone as the host; and coming
back. And how somebody else gets the seat of who stays away."""

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
from games.access import Door, get_door, get_seat_of_joinable
from games.commands import Refused
from games.forms import MoreTimeForm, OfferForm, PauseForm
from games.models import Proposal
from games.views.private import private_page

PAUSE, GO_ON, MORE_TIME = Proposal.What.PAUSE, Proposal.What.GO_ON, Proposal.What.MORE_TIME


@private_page
@require_POST
@login_required
def change_time(request: HttpRequest, game_id: int) -> HttpResponse:
    """Propose a pause, its end or more time to all; or do it as the host, where the terms allow that."""
    door = get_door(request, game_id)
    what = request.POST.get("what", "")
    if what not in (PAUSE, GO_ON, MORE_TIME):
        return _refused(request, door, _("Choose from the page what shall happen."))
    if request.POST.get("how") == "decide":
        return _decide(request, door, what)
    return _propose(request, door, what)


def _decide(request: HttpRequest, door: Door, what: str) -> HttpResponse:
    host = _person(request)
    deeds: dict[str, tuple[Callable[[], None], str]] = {
        PAUSE: (lambda: commands.host_pauses(door.game, host, _days(request)), _("The game is paused.")),
        GO_ON: (lambda: commands.host_goes_on(door.game, host), _("The pause is over.")),
        MORE_TIME: (lambda: commands.host_gives_time(door.game, host, _hours(request)), _("Time is given.")),
    }
    do, said = deeds[what]
    return _done(request, door, do, said)


def _propose(request: HttpRequest, door: Door, what: str) -> HttpResponse:
    amounts = {PAUSE: _days, GO_ON: lambda request: None, MORE_TIME: _hours}
    amount = amounts[Proposal.What(what)](request)
    try:
        proposal = commands.propose_time(door.seat, door.game, what, amount)
    except Refused as refused:
        return _refused(request, door, str(refused))
    is_done = proposal.closed_at is not None
    messages.success(request, _("Done.") if is_done else _("Your proposal waits for the others."))
    return redirect("game", door.game.pk)


def _days(request: HttpRequest) -> int:
    """So many as were typed; none for what is no such number, which the command refuses."""
    form = PauseForm(request.POST)
    return int(form.cleaned_data["days"]) if form.is_valid() else 0


def _hours(request: HttpRequest) -> int:
    form = MoreTimeForm(request.POST)
    return int(form.cleaned_data["hours"]) if form.is_valid() else 0


@private_page
@require_POST
@login_required
def come_back(request: HttpRequest, game_id: int) -> HttpResponse:
    """The player for whom a bot played plays himself again."""
    door = get_door(request, game_id)
    return _done(request, door, lambda: commands.come_back(door.seat), _("Welcome back: you play again."))


@private_page
@require_POST
@login_required
def offer_absent(request: HttpRequest, game_id: int, seat_id: int) -> HttpResponse:
    """The host offers the seat of who stays away to an address. Raises Http404 for another game's seat."""
    door = get_door(request, game_id)
    seat = get_object_or_404(door.seat.table.seats.select_related("table", "user"), pk=seat_id)
    form = OfferForm(request.POST)
    if not form.is_valid():
        return _refused(request, door, _("Type the e-mail address of who shall play on."))
    email, host = form.cleaned_data["email"], _person(request)
    said = _("A letter offers the seat to %(email)s.") % {"email": email}
    return _done(request, door, lambda: commands.offer_absent_seat(seat, host, email), said)


@private_page
@require_POST
@login_required
def take_absent(request: HttpRequest, key: str, seat_id: int) -> HttpResponse:
    """Take the seat of somebody who stays away, at a table whose terms offer it."""
    seat = get_seat_of_joinable(key, seat_id)
    try:
        taken = commands.take_absent_seat(seat, _person(request))
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("join", key)
    messages.success(request, _("You have a seat, and play on from here."))
    return redirect("table", taken.table_id)


def _done(request: HttpRequest, door: Door, command: Callable[[], object], said: str) -> HttpResponse:
    """Carry out a command and say so, or say why not; back to the game."""
    try:
        command()
    except Refused as refused:
        return _refused(request, door, str(refused))
    messages.success(request, said)
    return redirect("game", door.game.pk)


def _refused(request: HttpRequest, door: Door, why: str) -> HttpResponse:
    messages.error(request, why)
    return redirect("game", door.game.pk)


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
