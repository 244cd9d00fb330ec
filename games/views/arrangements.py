"""The page beside a game: a player's notes, and what he can do about its time, its end and his seat.

Shows the forms; notes.py, ending.py and timing.py take what is sent by them, and show this page again, with
what was typed, when they cannot do it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.access import Door, HasLeft, get_door
from games.forms import MoreTimeForm, NoteForm, OfferForm, PauseForm
from games.models import Invitation, Seat
from games.private import private_page
from games.telling.endings import WaysOut, is_delayed, open_offer, ways_out
from games.viewing.deadlines import Times, times_of
from games.views.history import reading_through
from games.views.play import note_at, view_through

NOTHING: Mapping[Any, Any] = {}


class AbsentOffer(NamedTuple):
    """The host's form to offer the seat of somebody who stays away."""

    seat: Seat
    name: str
    form: OfferForm
    offer: Invitation | None

    @property
    def is_delayed(self) -> bool:
        """Whether the email with an offer made before was not accepted yet, and is tried again."""
        return self.offer is not None and is_delayed(self.offer)


def offer_of_absent(seat: Seat, typed: QueryDict | None = None) -> OfferForm:
    """That form; the page may show several, and that for one's own seat."""
    return OfferForm(typed, auto_id=f"absent-{seat.number}-%s")


@private_page
@require_safe
@login_required
def arrangements(request: HttpRequest, game_id: int) -> HttpResponse:
    """For whoever has a seat in the game; who once had one is told that he left."""
    try:
        door = get_door(request, game_id)
    except HasLeft:
        return render(request, "games/left_game.html", status=404)
    return show_arrangements(request, door)


def show_arrangements(
    request: HttpRequest,
    door: Door,
    problem: str = "",
    typed: Mapping[str, Form] = NOTHING,
    absent: Mapping[int, OfferForm] = NOTHING,
) -> HttpResponse:
    """The page; `problem` says why what was just tried did not happen.

    `typed` has forms by their names in the template, `absent` those for absent players' seats by number.
    """
    times, ways = times_of(view_through(door), door.seat), ways_out(door.game, door.seat, door.names)
    forms = {
        "note_form": NoteForm(initial={"text": note_at(door)}),
        "offer_form": OfferForm(),
        "pause_form": PauseForm(),
        "more_time_form": MoreTimeForm(),
    }
    context = {
        "game": door.game,
        "table": door.game.table,
        "is_host": door.game.table.host_id == door.seat.user_id,
        "reading": reading_through(door),
        "problem": problem,
        "times": times,
        "ways_out": ways,
        "may_pause": times and ways and _may_pause(times, ways),
        "absent_offers": _absent_offers(times, absent) if times else [],
    }
    status = 400 if problem else 200
    return render(request, "games/arrangements.html", {**context, **forms, **typed}, status=status)


def _may_pause(times: Times, ways: WaysOut) -> bool:
    """Whether the player can propose anything about time, or do it; not while a bot plays for him."""
    return not times.is_away and (times.host_decides or ways.proposal is None)


def _absent_offers(times: Times, typed: Mapping[int, OfferForm]) -> list[AbsentOffer]:
    if not (times.is_host and times.is_offered):
        return []
    return [
        AbsentOffer(seat, name, typed.get(seat.number) or offer_of_absent(seat), open_offer(seat))
        for seat, name in times.away
    ]
