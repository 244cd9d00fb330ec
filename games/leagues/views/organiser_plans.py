"""Pages on which a season is planned, and its plan is changed."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext as _

from accounts import clock
from games.leagues.access import get_organised, get_organised_season
from games.leagues.forms.season_form import SeasonForm
from games.leagues.forms.season_presets import PRESETS, not_before
from games.leagues.models import League, Season
from games.leagues.selectors.season_rules import outlook
from games.leagues.services.plan_checks import PLAN, BadPlan
from games.leagues.services.season_changes import Overtaken, change_season
from games.leagues.services.season_plans import next_plan, plan_season
from games.leagues.views.organiser_decisions import carried_out, person, read_or_send, show_form


@read_or_send
@login_required
def plan(request: HttpRequest, number: int) -> HttpResponse:
    """Plan the league's next season, with the last season's plan filled in.

    Safe to repeat: sent twice, the form creates one season.
    """
    league = get_organised(request, number)
    waiting = league.seasons.filter(state__in=Season.BEFORE_PLAY).first()
    if waiting and request.method != "POST":
        # Translators: number is the season's.
        said = _("Season %(number)d hasn’t begun yet. Change that season, or cancel it first.")
        messages.info(request, said % {"number": waiting.number})
        return redirect("organise", number)
    last = league.seasons.order_by("-number").first()
    stored = not_before(next_plan(last, get_current_timezone()), clock.now()) if last else {}
    initial = {"form_key": uuid.uuid4()}
    form = SeasonForm(league, request.POST or None, stored=stored | _preset(request), initial=initial)

    def save_new() -> None:
        key = form.cleaned_data["form_key"] or uuid.uuid4()
        plan_season(league, person(request), form_key=key, **form.plan)

    return _show_or_save(request, league, form, save_new, _("You planned the season."))


@read_or_send
@login_required
def replan(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """Change a season: everything until its sign-up opens, then what its players need not accept again."""
    found = get_organised_season(request, number, season)
    if found.state in Season.OVER:
        messages.error(request, _("The season is over, so you can no longer change it."))
        return redirect("season", number, season)
    stored = {name: getattr(found, name) for name in PLAN}
    if found.state == Season.State.PLANNED:
        stored |= _preset(request)
    form = SeasonForm(found.league, request.POST or None, stored=stored, changing=found)

    def save_changes() -> None:
        try:
            sent = {"reason": form.cleaned_data.get("reason", ""), "seen": form.cleaned_data["form_key"]}
            change_season(found, person(request), **sent, **form.plan)
        except Overtaken as overtaken:
            found.refresh_from_db()
            form.show_as_it_is(overtaken.changes)
            raise

    return _show_or_save(
        request, found.league, form, save_changes, _("You changed the season."), season=found
    )


def _preset(request: HttpRequest) -> dict[str, Any]:
    """Return the settings of the preset that the organiser chose."""
    chosen = PRESETS.get(request.GET.get("preset", ""))
    return chosen.plan if chosen else {}


def _show_or_save(
    request: HttpRequest,
    league: League,
    form: SeasonForm,
    act: Callable[[], object],
    said: str,
    **context: Any,
) -> HttpResponse:
    """Show the form and what follows from its plan, or save it and redirect."""
    only_looks = "look" in request.POST
    is_sound = not form.errors.keys() - {"reason"}  # which is written last
    season = form.season if is_sound else None  # as typed, even if someone else was faster
    if not only_looks and carried_out(form, partial(_run_with_problems_at_fields, form, act)):
        messages.success(request, said)
        return redirect("organise", league.pk)
    follows = outlook(season) if season else []
    context |= {"league": league, "follows": follows, "presets": PRESETS}
    context["preset"] = request.GET.get("preset") or ("" if league.seasons.exists() else "club")
    if only_looks and "HX-Request" in request.headers:  # shown as one types
        return render(request, "leagues/organise/_follows.html", {"form": form, **context})
    return show_form(request, "leagues/organise/plan.html", form, **context)


def _run_with_problems_at_fields(form: SeasonForm, act: Callable[[], object]) -> None:
    """Run the action, and show any problems with the plan at their fields."""
    try:
        act()
    except BadPlan as bad:
        for name, problems in bad.problems.items():
            for problem in problems:
                form.add_problem(name, problem)
