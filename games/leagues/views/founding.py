"""Founding a league, what is written about it, who runs it, and the link by which people come to it."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.limits import spend
from accounts.views import name_required
from games.forms import PlainForm
from games.leagues.access import follow_link, get_organised
from games.leagues.commands.founding import add_organiser, change_league, found_league, step_down
from games.leagues.forms.founding import ChangeLeagueForm, LeagueForm, OrganiserForm
from games.leagues.models import League
from games.leagues.views.organising import carried_out, person, read_or_send, show_form

ADDRESSES_A_DAY = 30  # an answer tells whether somebody has an account


@read_or_send
@login_required
@name_required
def new_league(request: HttpRequest) -> HttpResponse:
    """The form for a new league; sent twice it makes one."""
    form = LeagueForm(request.POST or None, initial={"form_key": uuid.uuid4()})
    made: list[League] = []
    if carried_out(form, lambda: made.append(found_league(person(request), **form.cleaned_data))):
        messages.success(request, _("The league is founded. Plan its first season now."))
        return redirect("organise", made[0].pk)
    return show_form(request, "leagues/organise/new_league.html", form)


@read_or_send
@login_required
def change(request: HttpRequest, number: int) -> HttpResponse:
    """What is written about a league, and who knows of it."""
    league = get_organised(request, number)
    written = {"name": league.name, "about": league.about, "is_private": _yes_or_no(league.is_private)}
    form = ChangeLeagueForm(request.POST or None, initial=written)
    if carried_out(form, lambda: change_league(league, person(request), **form.cleaned_data)):
        messages.success(request, _("It is changed."))
        return redirect("organise", number)
    return show_form(request, "leagues/organise/change_league.html", form, league=league)


@read_or_send
@login_required
def organisers(request: HttpRequest, number: int) -> HttpResponse:
    """Who runs a league, and making somebody one of them."""
    league = get_organised(request, number)
    form = OrganiserForm(request.POST or None)
    if request.method == "POST" and not spend("organiser", str(person(request).pk), ADDRESSES_A_DAY):
        form.add_error(None, _("You have tried many addresses today. Go on tomorrow, please."))
    elif carried_out(form, lambda: _add(form, league, request)):
        messages.success(request, _("%(name)s is an organiser now.") % {"name": form.user.shown_name})
        return redirect("league_organisers", number)
    known = league.organisers.select_related("user")
    template = "leagues/organise/organisers.html"
    return show_form(request, template, form, league=league, organisers=known)


def _add(form: OrganiserForm, league: League, request: HttpRequest) -> None:
    add_organiser(league, person(request), form.user, form.cleaned_data["reason"])


@read_or_send
@login_required
def step_down_from(request: HttpRequest, number: int) -> HttpResponse:
    """Somebody runs a league no longer."""
    league = get_organised(request, number)
    form = PlainForm(request.POST or None)
    if request.method == "POST" and carried_out(form, lambda: step_down(league, person(request))):
        messages.success(request, _("You are no organiser of %(league)s any more.") % {"league": league})
        return redirect("leagues")
    return show_form(request, "leagues/organise/step_down.html", form, league=league)


@require_safe
@login_required
def join(request: HttpRequest, key: str) -> HttpResponse:
    """A league by its joining link, which this session keeps. Changes nothing else."""
    return redirect("league", follow_link(request, key).league.pk)


def _yes_or_no(is_so: bool) -> str:
    return "yes" if is_so else "no"
