"""Pages on which a league is created, planned and run."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, TypeVar

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from accounts import clock
from accounts.models import User
from accounts.rate_limits import hit
from accounts.times import day_element, with_times
from accounts.views import name_required
from games.forms import PlainForm
from games.leagues.access import follow_link, get_organised, get_organised_season
from games.leagues.forms.league_forms import (
    ChangeLeagueForm,
    LeagueForm,
    OrganiserForm,
    ReasonForm,
)
from games.leagues.forms.season_form import PRESETS, SeasonForm, not_before
from games.leagues.models import League, Season
from games.leagues.selectors.organiser_dashboard import OrganiserLink, season_now
from games.leagues.selectors.organiser_tasks import organiser_tasks_of
from games.leagues.selectors.season_rules import outlook
from games.leagues.services.founding import add_organiser, change_league, found_league, step_down
from games.leagues.services.lifecycle import begin_with_fewer, cancel, open_sign_up
from games.leagues.services.season_end import is_correctable
from games.leagues.services.season_plans import (
    PLAN,
    BadPlan,
    Overtaken,
    change_season,
    next_plan,
    plan_season,
)
from games.services import Refused

read_or_send = require_http_methods(["GET", "HEAD", "POST"])


def person(request: HttpRequest) -> User:
    """Return the signed-in user, in views that have already required one."""
    assert isinstance(request.user, User)
    return request.user


def carried_out(form: forms.BaseForm, act: Callable[[], object]) -> bool:
    """Run the action if the form is valid, and return whether it succeeded.

    A refusal becomes an error of the form.
    """
    if not form.is_valid():
        return False
    try:
        act()
    except Refused as refused:
        form.add_error(None, str(refused))
    return not form.errors


def show_form(
    request: HttpRequest, template: str, form: forms.BaseForm, *, status: int | None = None, **context: object
) -> HttpResponse:
    """Render a page with a form, which keeps the input if there are errors."""
    status = status or (400 if form.errors else 200)
    return render(request, template, {"form": form, **context}, status=status)


# Decisions of an organiser, each with a page that first shows its effects: GET shows, POST acts


@dataclass(frozen=True)
class Decision:
    """A decision in a league, as shown on its page, and how it is carried out."""

    league: League
    title: str
    follows: Sequence[str]  # sentences: what it does, to whom, and whether it can be undone
    button: str
    done: str  # the message shown afterwards
    form: forms.Form
    act: Callable[[dict[str, Any]], object]  # given the values of the form
    back: str = ""  # the path to go back to, if not the league's
    subject: str = ""  # the table it is about, below the title
    is_final: bool = False  # whether it removes something for good
    others: Sequence[OrganiserLink] = ()  # what the organiser could do instead
    next: str = ""  # the path that follows, if not the one to go back to


Row = TypeVar("Row", bound=Model)


def decides(
    find: Callable[..., Row],
) -> Callable[[Callable[[HttpRequest, Row], Decision]], Callable[..., HttpResponse]]:
    """Make a view of a function that describes a decision about the row that `find` returns."""

    def made(describe: Callable[[HttpRequest, Row], Decision]) -> Callable[..., HttpResponse]:
        @wraps(describe)
        @read_or_send
        @login_required
        def shown(request: HttpRequest, number: int, **where: int) -> HttpResponse:
            act = describe(request, find(request, number, **where))
            back = act.back or reverse("organise", args=[number])
            if request.method == "POST" and carried_out(act.form, lambda: act.act(act.form.cleaned_data)):
                messages.success(request, act.done)
                return redirect(act.next or back)
            template = "leagues/organise/act.html"
            return show_form(request, template, act.form, act=act, league=act.league, back=back)

        return shown

    return made


# The organiser's page, and actions before the season begins


@require_safe
@login_required
def organise(request: HttpRequest, number: int) -> HttpResponse:
    """Show the tasks that need the organiser, what comes next automatically, and what they can do."""
    league, now = get_organised(request, number), clock.now()
    seasons = list(league.seasons.order_by("-number"))
    going_on = [season for season in seasons if season.state not in Season.OVER]
    for season in going_on:
        season.league = league
    context = {
        "league": league,
        "last": seasons[0] if seasons else None,
        "needs": organiser_tasks_of(league, now),
        "seasons": [season_now(season, now) for season in going_on],
        "correctable": [one for one in seasons if one.state in Season.OVER and is_correctable(one)],
        "may_plan": not any(season.state in Season.BEFORE_PLAY for season in going_on),
    }
    return render(request, "leagues/organise/organise.html", context)


@decides(get_organised_season)
def open_now(request: HttpRequest, found: Season) -> Decision:
    """Open the sign-up before its planned day."""
    return Decision(
        found.league,
        # Translators: number is the season's.
        _("Open sign-up for season %(number)d now") % {"number": found.number},
        (
            with_times(
                # Translators: day is a date.
                _("People can sign up at once. Sign-up ends on %(day)s, as planned."),
                {"day": day_element(found.signup_ends_at)},
            ),
            _("We’ll email last season’s players and everyone you invited."),
            _(
                "After this you can still change places, dates and lengths, but not what would be unfair to "
                "those who have signed up."
            ),
        ),
        _("Open sign-up"),
        _("You opened sign-up."),
        form=PlainForm(request.POST or None),
        act=lambda _given: _open(found, person(request)),
    )


def _open(season: Season, organiser: User) -> None:
    """Open the sign-up. Safe to repeat."""
    is_opened = open_sign_up(season, organiser, clock.now())
    season.refresh_from_db(fields=["state"])
    if not is_opened and season.state != Season.State.SIGN_UP:
        raise Refused(_("Sign-up for this season is over. Nothing was changed."))


@decides(get_organised_season)
def begin_smaller(request: HttpRequest, found: Season) -> Decision:
    """Begin a season that has too few players with those who confirmed."""
    return Decision(
        found.league,
        # Translators: number is the season's.
        _("Begin season %(number)d with fewer players") % {"number": found.number},
        (
            ngettext(
                "Everyone with a place plays. One table needs %(size)d player.",
                "Everyone with a place plays. One table needs %(size)d players.",
                found.size,
            )
            % {"size": found.size},
            with_times(
                # Translators: day is a date.
                _("Divisions are drawn at once. The first tables begin on %(day)s."),
                {"day": day_element(max(found.begins_at, clock.now()))},
            ),
        ),
        _("Begin the season"),
        _("The season begins, and its divisions are drawn."),
        form=ReasonForm(request.POST or None),
        act=lambda given: begin_with_fewer(found, person(request), given["reason"]),
    )


@decides(get_organised_season)
def cancel_season(request: HttpRequest, found: Season) -> Decision:
    """Cancel a season that has not begun."""
    return Decision(
        found.league,
        # Translators: number is the season's.
        _("Cancel season %(number)d") % {"number": found.number},
        (
            _("The season won’t be played. We’ll email your reason to its players and everyone invited."),
            _("You can’t undo this, but you can plan another season."),
        ),
        _("Cancel the season"),
        _("You cancelled the season."),
        is_final=True,
        form=ReasonForm(request.POST or None),
        act=lambda given: cancel(found, person(request), given["reason"]),
    )


# Plans of seasons


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

    def made() -> None:
        key = form.cleaned_data["form_key"] or uuid.uuid4()
        plan_season(league, person(request), form_key=key, **form.plan)

    return _planned(request, league, form, made, _("You planned the season."))


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

    def changed() -> None:
        try:
            sent = {"reason": form.cleaned_data.get("reason", ""), "seen": form.cleaned_data["form_key"]}
            change_season(found, person(request), **sent, **form.plan)
        except Overtaken as overtaken:
            found.refresh_from_db()
            form.show_as_it_is(overtaken.changes)
            raise

    return _planned(request, found.league, form, changed, _("You changed the season."), season=found)


def _preset(request: HttpRequest) -> dict[str, Any]:
    """Return the settings of the preset that the organiser chose."""
    chosen = PRESETS.get(request.GET.get("preset", ""))
    return chosen.plan if chosen else {}


def _planned(
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
    if not only_looks and carried_out(form, partial(_or_at_its_field, form, act)):
        messages.success(request, said)
        return redirect("organise", league.pk)
    follows = outlook(season) if season else []
    context |= {"league": league, "follows": follows, "presets": PRESETS}
    context["preset"] = request.GET.get("preset") or ("" if league.seasons.exists() else "club")
    if only_looks and "HX-Request" in request.headers:  # shown as one types
        return render(request, "leagues/organise/_follows.html", {"form": form, **context})
    return show_form(request, "leagues/organise/plan.html", form, **context)


def _or_at_its_field(form: SeasonForm, act: Callable[[], object]) -> None:
    """Run the action, and show any problems with the plan at their fields."""
    try:
        act()
    except BadPlan as bad:
        for name, problems in bad.problems.items():
            for problem in problems:
                form.add_problem(name, problem)


# Creating a league, its description, its organisers and its joining link


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
    """List a league's organisers and add one."""
    league = get_organised(request, number)
    form = OrganiserForm(request.POST or None)
    if request.method == "POST" and not hit("organiser", str(person(request).pk), ADDRESSES_A_DAY):
        form.add_error(
            None, _("You’ve tried too many addresses today. Nothing was changed. Try again tomorrow.")
        )
    elif carried_out(form, lambda: _add(form, league, request)):
        # Translators: name is a person.
        said = _("You made %(name)s an organiser.")
        messages.success(request, said % {"name": form.user.shown_name})
        return redirect("league_organisers", number)
    known = league.organisers.select_related("user")
    template = "leagues/organise/organisers.html"
    return show_form(request, template, form, league=league, organisers=known)


def _add(form: OrganiserForm, league: League, request: HttpRequest) -> None:
    add_organiser(league, person(request), form.user, form.cleaned_data["reason"])


@decides(get_organised)
def step_down_from(request: HttpRequest, league: League) -> Decision:
    """Stop being an organiser of a league."""
    return Decision(
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


@require_safe
@login_required
def join(request: HttpRequest, key: str) -> HttpResponse:
    """Open a league by its joining link, and remember the link in the session.

    Changes nothing else.
    """
    return redirect("league", follow_link(request, key).league.pk)


def _yes_or_no(is_so: bool) -> str:
    return "yes" if is_so else "no"
