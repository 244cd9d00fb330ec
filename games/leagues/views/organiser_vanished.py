"""Pages on which an organiser asks whether another is still here, answers, or removes one."""

from __future__ import annotations

from datetime import datetime

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts import clock
from accounts.time_elements import day_element, with_times
from games.forms.plain import PlainForm
from games.leagues.access import get_organised, get_other_organiser
from games.leagues.forms.league_fields import ReasonForm
from games.leagues.models import Organiser
from games.leagues.selectors.names_in_leagues import name_in
from games.leagues.services.vanished_organisers import (
    TIME_TO_ANSWER,
    ask_whether_here,
    may_be_removed_at,
    remove_vanished,
    say_still_here,
)
from games.leagues.views.link_page import Button, LinkPage
from games.leagues.views.organiser_decisions import OrganiserDecision, decides, person


@decides(get_other_organiser)
def ask(request: HttpRequest, found: Organiser) -> OrganiserDecision:
    """Ask another organiser whether they are still here."""
    name = name_in(found.league_id, found.user)
    due = (found.asked_at or clock.now()) + TIME_TO_ANSWER
    return OrganiserDecision(
        found.league,
        # Translators: name is an organiser.
        _("Ask %(name)s whether they are still here") % {"name": name},
        (
            # Translators: name is an organiser.
            _("We’ll email %(name)s. Anything they do as an organiser is an answer too.") % {"name": name},
            with_times(
                # Translators: day is a date.
                _("Without an answer, you can remove them as an organiser from %(day)s on."),
                {"day": day_element(due)},
            ),
        ),
        _("Ask whether they are still here"),
        # Translators: name is a person.
        _("You asked %(name)s.") % {"name": name},
        form=PlainForm(request.POST or None),
        act=lambda _given: ask_whether_here(found, person(request)),
        back=reverse("league_organisers", args=[found.league_id]),
    )


@decides(get_other_organiser)
def remove(request: HttpRequest, found: Organiser) -> OrganiserDecision:
    """Remove an organiser who has not answered."""
    name = name_in(found.league_id, found.user)
    return OrganiserDecision(
        found.league,
        # Translators: name is an organiser.
        _("Remove %(name)s as an organiser") % {"name": name},
        (
            # Translators: name is an organiser.
            _("%(name)s can no longer open the organisers’ pages. They can go on playing in the league.")
            % {"name": name},
            # Translators: name is a player.
            _("We’ll email your reason to %(name)s.") % {"name": name},
        ),
        _("Remove the organiser"),
        # Translators: name is a person.
        _("You removed %(name)s as an organiser.") % {"name": name},
        is_final=True,
        form=ReasonForm(request.POST or None),
        act=lambda given: remove_vanished(found, person(request), given["reason"]),
        back=reverse("league_organisers", args=[found.league_id]),
    )


@require_POST
@login_required
def still_here(request: HttpRequest, number: int) -> HttpResponse:
    """Say that one is still here, on the organisers' own pages."""
    league = get_organised(request, number)
    say_still_here(get_object_or_404(Organiser, league=league, user=person(request)))
    messages.success(request, _answered())
    return redirect("league_organisers", number)


def still_here_page(organiser: Organiser) -> LinkPage:
    """Return the page that the link in the email to an organiser opens."""
    due = may_be_removed_at(organiser)
    if due is None:
        return LinkPage(organiser.league, _("Are you still here?"), (_("You have answered."),), (), {})
    return LinkPage(
        organiser.league,
        _("Are you still here?"),
        (_asked_text(due),),
        (Button("here", _("I’m still here")),),
        {"here": lambda _request: _answer(organiser)},
    )


def _asked_text(due: datetime) -> str:
    # Translators: day is a date.
    text = _(
        "Another organiser asks whether you still organise this league. From %(day)s on, the others can "
        "remove you as an organiser if you haven’t answered."
    )
    return with_times(text, {"day": day_element(due)})


def _answer(organiser: Organiser) -> str:
    say_still_here(organiser)
    return _answered()


def _answered() -> str:
    return _("You said that you’re still here.")
