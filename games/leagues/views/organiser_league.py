"""Pages on which a league is created and run: its details, its organisers, its joining link and its pause."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts import clock
from accounts.rate_limits import hit
from accounts.views.profile import name_required
from games.forms.plain import PlainForm
from games.leagues.access import follow_link, get_assistant, get_assisted, get_organised
from games.leagues.forms.league_fields import ReasonForm
from games.leagues.forms.league_forms import ChangeLeagueForm, LeagueForm, OrganiserForm, PauseLeagueForm
from games.leagues.models import League, Organiser
from games.leagues.selectors.names_in_leagues import name_in
from games.leagues.selectors.organiser_links import OrganiserLink
from games.leagues.selectors.staff_rows import staff_rows
from games.leagues.services.founding import (
    add_organiser,
    change_league,
    found_league,
    remove_assistant,
    step_down,
)
from games.leagues.services.league_pause import pause_league, resume_league
from games.leagues.services.permissions import is_organiser
from games.leagues.views.organiser_decisions import (
    OrganiserDecision,
    carried_out,
    decides,
    person,
    read_or_send,
    show_form,
)

ADDRESSES_A_DAY = 30  # a limit, because each answer reveals whether an address has an account


@read_or_send
@login_required
@name_required
def new_league(request: HttpRequest) -> HttpResponse:
    """Create a league. Safe to repeat: sent twice, the form creates one league."""
    form = LeagueForm(request.POST or None, initial={"form_key": uuid.uuid4()})
    made: list[League] = []
    if carried_out(form, lambda: made.append(found_league(person(request), **form.cleaned_data))):
        messages.success(request, _("You created the league. Now plan its first season."))
        return redirect("organise", made[0].pk)
    return show_form(request, "leagues/organise/league_details.html", form)


@read_or_send
@login_required
def change(request: HttpRequest, number: int) -> HttpResponse:
    """Edit a league's description and whether it is private."""
    league = get_organised(request, number)
    written = {"name": league.name, "about": league.about, "is_private": _yes_or_no(league.is_private)}
    form = ChangeLeagueForm(request.POST or None, initial=written)
    if carried_out(form, lambda: change_league(league, person(request), **form.cleaned_data)):
        messages.success(request, _("You changed the league’s details."))
        return redirect("organise", number)
    return show_form(request, "leagues/organise/league_details.html", form, league=league)


@read_or_send
@login_required
def organisers(request: HttpRequest, number: int) -> HttpResponse:
    """List a league's organisers and assistants, and add one."""
    league = get_organised(request, number)
    form = OrganiserForm(request.POST or None)
    if request.method == "POST" and not hit("organiser", str(person(request).pk), ADDRESSES_A_DAY):
        form.add_error(
            None, _("You’ve tried too many addresses today. Nothing was changed. Try again tomorrow.")
        )
    elif carried_out(form, lambda: _add_organiser(form, league, request)):
        is_assistant = form.cleaned_data["role"] == Organiser.Role.ASSISTANT
        # Translators: name is a person.
        said = _("You made %(name)s an assistant.") if is_assistant else _("You made %(name)s an organiser.")
        messages.success(request, said % {"name": form.user.shown_name})
        return redirect("league_organisers", number)
    rows = staff_rows(league, person(request), clock.now())
    own = next(row for row in rows if row.is_reader)
    template = "leagues/organise/organisers.html"
    return show_form(request, template, form, league=league, rows=rows, asked_until=own.removable_at)


def _add_organiser(form: OrganiserForm, league: League, request: HttpRequest) -> None:
    add_organiser(league, person(request), form.user, form.cleaned_data["reason"], form.cleaned_data["role"])


@decides(get_assistant)
def remove(request: HttpRequest, found: Organiser) -> OrganiserDecision:
    """End someone's work as an assistant."""
    name = name_in(found.league_id, found.user)
    return OrganiserDecision(
        found.league,
        # Translators: name is an assistant.
        _("Remove %(name)s as an assistant") % {"name": name},
        (
            # Translators: name is an assistant.
            _("%(name)s can no longer open the organisers’ pages.") % {"name": name},
            # Translators: name is a player.
            _("We’ll email your reason to %(name)s.") % {"name": name},
        ),
        _("Remove the assistant"),
        # Translators: name is a person.
        _("You removed %(name)s as an assistant.") % {"name": name},
        is_final=True,
        form=ReasonForm(request.POST or None),
        act=lambda given: remove_assistant(found, person(request), given["reason"]),
        back=reverse("league_organisers", args=[found.league_id]),
    )


@decides(get_assisted)
def step_down_from(request: HttpRequest, league: League) -> OrganiserDecision:
    """Stop being an organiser of a league, or an assistant."""
    if not is_organiser(league, person(request)):
        return _step_down_as_assistant(request, league)
    return OrganiserDecision(
        league,
        _("Step down as an organiser"),
        (
            _("You’ll no longer organise this league. The other organisers will go on without you."),
            _("Your decisions stay in the league’s log. You can go on playing in the league."),
            _("Only another organiser can add you again."),
        ),
        _("Step down"),
        # Translators: league is the league's name.
        _("You stepped down as an organiser of %(league)s.") % {"league": league},
        is_final=True,
        next=reverse("leagues"),
        form=PlainForm(request.POST or None),
        act=lambda _given: step_down(league, person(request)),
        back=reverse("league_organisers", args=[league.pk]),
    )


def _step_down_as_assistant(request: HttpRequest, league: League) -> OrganiserDecision:
    return OrganiserDecision(
        league,
        _("Step down as an assistant"),
        (
            _("You’ll no longer open the organisers’ pages. You can go on playing in the league."),
            _("Only an organiser can add you again."),
        ),
        _("Step down"),
        # Translators: league is the league's name.
        _("You stepped down as an assistant of %(league)s.") % {"league": league},
        is_final=True,
        next=reverse("leagues"),
        form=PlainForm(request.POST or None),
        act=lambda _given: step_down(league, person(request)),
    )


@require_safe
@login_required
def join(request: HttpRequest, key: str) -> HttpResponse:
    """Open a league by its joining link, and remember the link in the session.

    Changes nothing else.
    """
    return redirect("league", follow_link(request, key).league.pk)


@decides(get_organised)
def pause(request: HttpRequest, league: League) -> OrganiserDecision:
    """Pause the whole league until a day."""
    resume_now = OrganiserLink(reverse("league_resume", args=[league.pk]), _("End the pause now"))
    return OrganiserDecision(
        league,
        _("Pause the league"),
        (
            _("All clocks of its running tables stop, and the ends of tables move by as much."),
            _("No table begins, and no one is reminded. Players may still move."),
            _("We’ll email your reason to all players."),
        ),
        _("Pause the league"),
        _("You paused the league."),
        others=(resume_now,) if league.paused_until else (),
        form=PauseLeagueForm(request.POST or None, initial={"until": league.paused_until}),
        act=lambda given: pause_league(league, person(request), given["until"], given["reason"]),
    )


@decides(get_organised)
def resume(request: HttpRequest, league: League) -> OrganiserDecision:
    """End the pause of the whole league now."""
    return OrganiserDecision(
        league,
        _("End the pause"),
        (
            _("Clocks run again from now on, and tables begin as planned."),
            _("We’ll email your reason to all players."),
        ),
        _("End the pause"),
        _("You ended the pause."),
        form=ReasonForm(request.POST or None),
        act=lambda given: resume_league(league, person(request), given["reason"]),
    )


def _yes_or_no(is_so: bool) -> str:
    return "yes" if is_so else "no"
