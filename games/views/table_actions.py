"""What players do besides moving: time, notes, rematch, ending the game, leaving a seat (R49)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.addresses import readable_address
from accounts.zones import follow_browser
from games import services
from games.access import GameAccess, HasLeft, get_game_access, get_seat_of_joinable, person_of, private_page
from games.forms.arrangements import MoreTimeForm, NoteForm, PauseForm
from games.forms.invitations import OfferForm
from games.models import Game, Invitation, Proposal, Seat
from games.narration.ways_out import WaysOut, is_delayed, open_offer, ways_out
from games.presenters.deadlines import Times, times_of
from games.presenters.options_section import note_at
from games.presenters.position import position_through
from games.presenters.reading import reading_through
from games.services import Refused

NOTHING: Mapping[Any, Any] = {}


class AbsentOffer(NamedTuple):
    """The host's form to offer an away player's seat."""

    seat: Seat
    name: str
    form: OfferForm
    offer: Invitation | None

    @property
    def is_delayed(self) -> bool:
        """Whether the email of an earlier offer was not accepted yet and is being retried."""
        return self.offer is not None and is_delayed(self.offer)


def offer_of_absent(seat: Seat, typed: QueryDict | None = None) -> OfferForm:
    """Return that form. Its own auto_id keeps it apart from other forms on the page."""
    return OfferForm(typed, auto_id=f"absent-{seat.number}-%s")


@private_page
@require_safe
@login_required
def arrangements(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show the arrangements to players with a seat in the game; tell former players that they left."""
    try:
        access = get_game_access(request, game_id)
    except HasLeft:
        return render(request, "games/left_game.html", status=404)
    return show_arrangements(request, access)


def show_arrangements(
    request: HttpRequest,
    access: GameAccess,
    problem: str = "",
    typed: Mapping[str, Form] = NOTHING,
    absent: Mapping[int, OfferForm] = NOTHING,
) -> HttpResponse:
    """Render the page; `problem` says why the last attempt failed.

    `typed` holds forms by their template names, `absent` those for away players' seats by number.
    """
    times, ways = (
        times_of(position_through(access), access.seat),
        ways_out(access.game, access.seat, access.names),
    )
    forms = {
        "note_form": NoteForm(initial={"text": note_at(access)}),
        "offer_form": OfferForm(),
        "pause_form": PauseForm(),
        "more_time_form": MoreTimeForm(),
    }
    context = {
        "game": access.game,
        "table": access.game.table,
        "is_host": access.game.table.host_id == access.seat.user_id,
        "reading": reading_through(access),
        "problem": problem,
        "times": times,
        "ways_out": ways,
        "may_pause": times and ways and _may_pause(times, ways),
        "absent_offers": _absent_offers(times, absent) if times else [],
    }
    status = 400 if problem else 200
    return render(request, "games/arrangements.html", {**context, **forms, **typed}, status=status)


def _may_pause(times: Times, ways: WaysOut) -> bool:
    """Return whether the player can propose or do anything about time; not while a bot plays for them."""
    return not times.is_away and (times.host_decides or ways.proposal is None)


def _absent_offers(times: Times, typed: Mapping[int, OfferForm]) -> list[AbsentOffer]:
    if not (times.is_host and times.is_offered):
        return []
    return [
        AbsentOffer(seat, name, typed.get(seat.number) or offer_of_absent(seat), open_offer(seat))
        for seat, name in times.away
    ]


# Ending or leaving a game: propose, agree, refuse, give up a seat (R49)


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
        services.give_up(seat)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("game", game_id)
    messages.success(
        request, _("You gave up your seat at %(table)s. A bot plays on.") % {"table": seat.table.name}
    )
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


# Private notes and rematch


@private_page
@require_POST
@login_required
def note(request: HttpRequest, game_id: int) -> HttpResponse:
    """Save the signed-in player's note; one that cannot be saved stays in the form."""
    access = get_game_access(request, game_id)
    form = NoteForm(request.POST)
    if not form.is_valid():
        return show_arrangements(
            request, access, _("Your notes were not saved. See below."), {"note_form": form}
        )
    services.write_note(access.game, person_of(request), form.cleaned_data["text"])
    messages.success(request, _("Your notes are saved."))
    return redirect("game", access.game.pk)


@private_page
@require_POST
@login_required
def rematch(request: HttpRequest, game_id: int) -> HttpResponse:
    """Take a seat at the rematch, for a player of this game; create its table if needed."""
    access = get_game_access(request, game_id)
    try:
        table = services.make_rematch(access.game, person_of(request))
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("game", access.game.pk)
    begun = Game.objects.filter(table=table).last()
    if begun is not None:  # against bots only
        messages.success(request, _("The rematch has started."))
        return redirect("game", begun.pk)
    if table.host != request.user:
        messages.success(request, _("You have taken a seat in the rematch."))
    elif table.invitations.exists():
        messages.success(request, _("You asked for a rematch, and we invited the others."))
    else:
        messages.success(request, _("You created a table for the rematch."))
    return redirect("table", table.pk)


# Time and absence: pause, resume, more time, return to the game, and offers of away players' seats


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
    typed = _typed(request, what)
    change = _decide if request.POST.get("how") == "decide" else _propose
    try:
        said = change(access, what, _amount(typed))
    except Refused as refused:
        return show_arrangements(request, access, str(refused), typed)
    messages.success(request, said)
    return redirect("game", access.game.pk)


def _typed(request: HttpRequest, what: str) -> dict[str, Form]:
    """Return the posted form, keyed by its name on the page; ending a pause has no form."""
    match what:
        case Proposal.What.PAUSE:
            return {"pause_form": PauseForm(request.POST)}
        case Proposal.What.MORE_TIME:
            return {"more_time_form": MoreTimeForm(request.POST)}
    return {}


def _amount(typed: dict[str, Form]) -> int | None:
    """Return the days or hours typed; 0 for an invalid number, which the service refuses."""
    for form in typed.values():
        return next(iter(form.cleaned_data.values())) if form.is_valid() else 0
    return None


def _decide(access: GameAccess, what: str, amount: int | None) -> str:
    """Carry out the host's decision and return the message for the host."""
    game, host = access.game, access.seat.person
    match what:
        case Proposal.What.PAUSE:
            services.host_pauses(game, host, amount or 0)
        case Proposal.What.MORE_TIME:
            services.host_gives_time(game, host, amount or 0)
        case _what:
            services.host_resumes(game, host)
    return _time_changed(what)


def _time_changed(what: str) -> str:
    if what == Proposal.What.PAUSE:
        return _("You paused the game.")
    return _("You gave more time.") if what == Proposal.What.MORE_TIME else _("You ended the pause.")


def _propose(access: GameAccess, what: str, amount: int | None) -> str:
    """Propose it to everyone; if no one else has to agree, it is done."""
    proposal = services.propose_time(access.seat, access.game, what, amount)
    if proposal.closed_at is not None:
        return _time_changed(what)
    return _("You made a proposal. The others have to agree.")


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
