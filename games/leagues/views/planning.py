"""Planning a season, and changing one whose sign-up has not opened."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts import present
from games.leagues.access import get_organised, get_organised_season
from games.leagues.commands.planning import PLAN, BadPlan, next_plan, plan_season, replan_season
from games.leagues.forms.planning import SeasonForm, not_before
from games.leagues.models import League, Season
from games.leagues.overview.dates import BEFORE_PLAY
from games.leagues.overview.outlook import outlook
from games.leagues.overview.rules_in_words import rules_of, tie_breaks_of
from games.leagues.views.organising import carried_out, person, read_or_send, show_form


@read_or_send
@login_required
def plan(request: HttpRequest, number: int) -> HttpResponse:
    """The form for a league's next season, filled in as the last one was; sent twice it makes one."""
    league = get_organised(request, number)
    waiting = league.seasons.filter(state__in=BEFORE_PLAY).first()
    if waiting and request.method != "POST":
        told = _("Season %(number)d has yet to begin: change that one, or call it off.")
        messages.info(request, told % {"number": waiting.number})
        return redirect("organise", number)
    last = league.seasons.order_by("-number").first()
    form = SeasonForm(
        league,
        request.POST or None,
        stored=not_before(next_plan(last), present.now()) if last else None,
        initial={"form_key": uuid.uuid4()},
    )

    def made() -> None:
        key = form.cleaned_data["form_key"] or uuid.uuid4()
        plan_season(league, person(request), form_key=key, **form.plan)

    return _planned(request, league, form, made, _("The season is planned."))


@read_or_send
@login_required
def replan(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """The same form for a season that is planned; one that is open shows its rules, and why they stay."""
    found = get_organised_season(request, number, season)
    if found.state != Season.State.PLANNED:
        told = {"league": found.league, "season": found, "articles": rules_of(found)}
        told |= {"tie_breaks": tie_breaks_of(found)}
        return render(request, "leagues/organise/rules_stay.html", told, status=_status_of_late(request))
    stored = {name: getattr(found, name) for name in PLAN}
    form = SeasonForm(found.league, request.POST or None, stored=stored)

    def changed() -> None:
        replan_season(found, person(request), **form.plan)

    return _planned(request, found.league, form, changed, _("The season is changed."), season=found)


def _status_of_late(request: HttpRequest) -> int:
    """Whoever still wants to change it is told that it was not."""
    return 409 if request.method == "POST" else 200


def _planned(
    request: HttpRequest,
    league: League,
    form: SeasonForm,
    act: Callable[[], object],
    said: str,
    **context: Any,
) -> HttpResponse:
    """The form, what would follow from it, or where it led."""
    only_looks = "look" in request.POST
    if not only_looks and carried_out(form, partial(_or_at_its_field, form, act)):
        messages.success(request, said)
        return redirect("organise", league.pk)
    follows = outlook(form.season) if not form.is_bound or form.is_valid() else []
    context |= {"league": league, "follows": follows, "is_looked_at": only_looks and bool(follows)}
    return show_form(request, "leagues/organise/plan.html", form, **context)


def _or_at_its_field(form: SeasonForm, act: Callable[[], object]) -> None:
    """What the command finds wrong with the plan stands where it was typed."""
    try:
        act()
    except BadPlan as bad:
        for name, problems in bad.problems.items():
            for problem in problems:
                form.add_problem(name, problem)
