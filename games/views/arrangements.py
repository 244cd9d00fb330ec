"""The arrangements of a game: its page, the reader's notes, and the rematch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from games import services
from games.access import GameAccess, get_game_access, person_of
from games.forms.arrangements import MoreTimeForm, NoteForm, PauseForm
from games.forms.invitations import OfferForm
from games.models import Game, Invitation, Seat
from games.narration.ways_out import WaysOut, is_delayed, open_offer, ways_out
from games.presenters.deadlines import Times, times_of
from games.presenters.options_section import note_at
from games.presenters.position import position_through
from games.presenters.reading import reading_through
from games.private_pages import private_page
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
    """Show the arrangements to players with a seat in the game."""
    return show_arrangements(request, get_game_access(request, game_id))


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
