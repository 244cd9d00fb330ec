"""Changes of a game's time: a pause, its end, and more time."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from games import services
from games.access import GameAccess, get_game_access
from games.forms.arrangements import MoreTimeForm, PauseForm
from games.models import Proposal
from games.private_pages import private_page
from games.services import Refused
from games.views.arrangements import show_arrangements

PAUSE, GO_ON, MORE_TIME = Proposal.What.PAUSE, Proposal.What.GO_ON, Proposal.What.MORE_TIME


@private_page
@require_POST
@login_required
def change_time(request: HttpRequest, game_id: int) -> HttpResponse:
    """Propose a pause, its end or more time; or do it as the host, where the settings allow that."""
    access = get_game_access(request, game_id)
    what = request.POST.get("what", "")
    if what not in (PAUSE, GO_ON, MORE_TIME):
        return show_arrangements(request, access, _("Choose one of the actions on the page."))
    typed = _forms_posted(request, what)
    change = _change_as_host if request.POST.get("how") == "decide" else _propose
    try:
        said = change(access, what, _amount_typed(typed))
    except Refused as refused:
        return show_arrangements(request, access, str(refused), typed)
    messages.success(request, said)
    return redirect("game", access.game.pk)


def _forms_posted(request: HttpRequest, what: str) -> dict[str, Form]:
    """Return the posted form, keyed by its name on the page; ending a pause has no form."""
    match what:
        case Proposal.What.PAUSE:
            return {"pause_form": PauseForm(request.POST)}
        case Proposal.What.MORE_TIME:
            return {"more_time_form": MoreTimeForm(request.POST)}
    return {}


def _amount_typed(typed: dict[str, Form]) -> int | None:
    """Return the days or hours typed; 0 for an invalid number, which the service refuses."""
    for form in typed.values():
        return next(iter(form.cleaned_data.values())) if form.is_valid() else 0
    return None


def _change_as_host(access: GameAccess, what: str, amount: int | None) -> str:
    """Carry out the host's decision and return the message for the host."""
    game, host = access.game, access.seat.person
    match what:
        case Proposal.What.PAUSE:
            services.host_pauses(game, host, amount or 0)
        case Proposal.What.MORE_TIME:
            services.host_gives_time(game, host, amount or 0)
        case _what:
            services.host_resumes(game, host)
    return _message_of_change(what)


def _message_of_change(what: str) -> str:
    if what == Proposal.What.PAUSE:
        return _("You paused the game.")
    return _("You gave more time.") if what == Proposal.What.MORE_TIME else _("You ended the pause.")


def _propose(access: GameAccess, what: str, amount: int | None) -> str:
    """Propose it to everyone; if no one else has to agree, it is done."""
    proposal = services.propose_time(access.seat, access.game, what, amount)
    if proposal.closed_at is not None:
        return _message_of_change(what)
    return _("You made a proposal. The others have to agree.")
