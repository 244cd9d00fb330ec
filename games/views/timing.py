"""What a player does about time: pause, go on, more time, with the others or alone as the host; and coming
back. And how somebody else gets the seat of who stays away."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.models import User
from games import commands
from games.access import Door, get_door, get_seat_of_joinable
from games.commands import Refused
from games.forms import MoreTimeForm, PauseForm
from games.models import Proposal
from games.private import private_page
from games.views.arrangements import offer_of_absent, show_arrangements

PAUSE, GO_ON, MORE_TIME = Proposal.What.PAUSE, Proposal.What.GO_ON, Proposal.What.MORE_TIME


@private_page
@require_POST
@login_required
def change_time(request: HttpRequest, game_id: int) -> HttpResponse:
    """Propose a pause, its end or more time to all; or do it as the host, where the terms allow that."""
    door = get_door(request, game_id)
    what = request.POST.get("what", "")
    if what not in (PAUSE, GO_ON, MORE_TIME):
        return show_arrangements(request, door, _("Choose from the page what shall happen."))
    typed = _typed(request, what)
    change = _decide if request.POST.get("how") == "decide" else _propose
    try:
        said = change(door, what, _amount(typed))
    except Refused as refused:
        return show_arrangements(request, door, str(refused), typed)
    messages.success(request, said)
    return redirect("game", door.game.pk)


def _typed(request: HttpRequest, what: str) -> dict[str, Form]:
    """The form of what shall happen, by its name on the page; nothing is typed to end a pause."""
    match what:
        case Proposal.What.PAUSE:
            return {"pause_form": PauseForm(request.POST)}
        case Proposal.What.MORE_TIME:
            return {"more_time_form": MoreTimeForm(request.POST)}
    return {}


def _amount(typed: dict[str, Form]) -> int | None:
    """So many days or hours as were typed; 0 for what is no such number, which the command refuses."""
    for form in typed.values():
        return next(iter(form.cleaned_data.values())) if form.is_valid() else 0
    return None


def _decide(door: Door, what: str, amount: int | None) -> str:
    """The host does it; what he is told then."""
    game, host = door.game, door.seat.person
    match what:
        case Proposal.What.PAUSE:
            commands.host_pauses(game, host, amount or 0)
            return _("The game is paused.")
        case Proposal.What.MORE_TIME:
            commands.host_gives_time(game, host, amount or 0)
            return _("Time is given.")
    commands.host_goes_on(game, host)
    return _("The pause is over.")


def _propose(door: Door, what: str, amount: int | None) -> str:
    """Propose it to all; where nobody else has to agree it is done."""
    proposal = commands.propose_time(door.seat, door.game, what, amount)
    return _("Your proposal waits for the others.") if proposal.closed_at is None else _("Done.")


@private_page
@require_POST
@login_required
def come_back(request: HttpRequest, game_id: int) -> HttpResponse:
    """The player for whom a bot played plays himself again."""
    door = get_door(request, game_id)
    try:
        commands.come_back(door.seat)
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("Welcome back: you play again."))
    return redirect("game", door.game.pk)


@private_page
@require_POST
@login_required
def offer_absent(request: HttpRequest, game_id: int, seat_id: int) -> HttpResponse:
    """The host offers the seat of who stays away to an address. Raises Http404 for another game's seat."""
    door = get_door(request, game_id)
    seat = get_object_or_404(door.seat.table.seats.select_related("table", "user"), pk=seat_id)
    form = offer_of_absent(seat, request.POST)
    if not form.is_valid():
        problem = _("Type the e-mail address of who shall play on.")
        return show_arrangements(request, door, problem, absent={seat.number: form})
    email = form.cleaned_data["email"]
    try:
        commands.offer_absent_seat(seat, door.seat.person, email)
    except Refused as refused:
        return show_arrangements(request, door, str(refused), absent={seat.number: form})
    messages.success(request, _("A letter offers the seat to %(email)s.") % {"email": email})
    return redirect("game", door.game.pk)


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


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
