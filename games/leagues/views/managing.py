"""The page on which a league is run, and what an organiser does to a season before it is played."""

from __future__ import annotations

from functools import partial

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts import present
from accounts.models import User
from games.commands import Refused
from games.leagues.access import get_organised, get_organised_season
from games.leagues.commands.beginning import begin_with_fewer
from games.leagues.commands.planning import call_off, longer_sign_up, open_sign_up
from games.leagues.forms.managing import LongerForm, OpenForm
from games.leagues.forms.words import ReasonForm
from games.leagues.models import Season
from games.leagues.needs import needs_of
from games.leagues.overview.dates import BEFORE_PLAY
from games.leagues.overview.outlook import day
from games.leagues.overview.running import OVER, Way, season_now, way_to
from games.leagues.views.acts import Act, act_page
from games.leagues.views.organising import person, read_or_send


@require_safe
@login_required
def organise(request: HttpRequest, number: int) -> HttpResponse:
    """What needs the organiser, and exactly that; then what comes by itself, and what he may do."""
    league, now = get_organised(request, number), present.now()
    seasons = list(league.seasons.order_by("-number"))
    going_on = [season for season in seasons if season.state not in OVER]
    for season in going_on:
        season.league = league
    context = {
        "league": league,
        "last": seasons[0] if seasons else None,
        "needs": needs_of(league, now),
        "seasons": [season_now(season, now) for season in going_on],
        "may_plan": not any(season.state in BEFORE_PLAY for season in going_on),
    }
    return render(request, "leagues/organise/organise.html", context)


@read_or_send
@login_required
def open_now(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """The sign-up opens before its day."""
    found = get_organised_season(request, number, season)
    act = Act(
        _("Open the sign-up of season %(number)d now") % {"number": season},
        (
            _("People can sign up at once; it ends on %(day)s as planned.")
            % {"day": day(found.signup_ends_at)},
            _("Whoever was in the last season, and whomever you have invited, is written to."),
            _("From then on the season's rules stay as they are."),
        ),
        _("Open the sign-up"),
        _("The sign-up is open."),
    )
    form = OpenForm(request.POST or None)
    return act_page(request, found.league, act, form, partial(_open, found, person(request)))


def _open(season: Season, organiser: User) -> None:
    """Opened twice, it is open."""
    is_opened = open_sign_up(season, organiser, present.now())
    season.refresh_from_db(fields=["state"])
    if not is_opened and season.state != Season.State.SIGN_UP:
        raise Refused(_("Its sign-up is over."))


@read_or_send
@login_required
def longer(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """The sign-up stays open until a later day."""
    found = get_organised_season(request, number, season)
    act = Act(
        _("Leave the sign-up of season %(number)d open for longer") % {"number": season},
        (
            _("So far it ends on %(day)s.") % {"day": day(found.signup_ends_at)},
            _("Everybody still has %(days)d days to confirm; if need be the first round begins later.")
            % {"days": found.confirm_days},
        ),
        _("Leave it open"),
        _("The sign-up stays open for longer."),
        others=_instead_of_waiting(found),
    )
    form = LongerForm(request.POST or None)

    def command() -> None:
        longer_sign_up(found, person(request), form.cleaned_data["until"], form.cleaned_data["reason"])

    return act_page(request, found.league, act, form, command)


def _instead_of_waiting(season: Season) -> tuple[Way, ...]:
    """What else may be done about a season for which few have signed up."""
    fewer = way_to(season, "season_fewer", _("Begin with fewer players"))
    return (
        way_to(season, "season_invite", _("Invite people")),
        *([fewer] if season.short_since else []),
        way_to(season, "season_call_off", _("Call the season off")),
    )


@read_or_send
@login_required
def begin_smaller(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """A season for which too few have signed up begins with those who are there."""
    found = get_organised_season(request, number, season)
    act = Act(
        _("Begin season %(number)d with fewer players") % {"number": season},
        (
            _("Whoever has confirmed plays: it needs %(size)d for a table, and no more.")
            % {"size": found.size},
            _("The divisions are drawn at once; the first round begins on %(day)s.")
            % {"day": day(max(found.begins_at, present.now()))},
        ),
        _("Begin with fewer"),
        _("The season is drawn."),
    )
    form = ReasonForm(request.POST or None)
    return act_page(
        request,
        found.league,
        act,
        form,
        lambda: begin_with_fewer(found, person(request), form.cleaned_data["reason"]),
    )


@read_or_send
@login_required
def call_season_off(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """A season that has not begun is ended."""
    found = get_organised_season(request, number, season)
    act = Act(
        _("Call season %(number)d off") % {"number": season},
        (
            _("It is not played. Everybody who is in it, or is invited to it, is told, with your reason."),
            _("This cannot be taken back; you can plan another season."),
        ),
        _("Call it off"),
        _("The season is called off."),
        is_final=True,
    )
    form = ReasonForm(request.POST or None)
    return act_page(
        request,
        found.league,
        act,
        form,
        lambda: call_off(found, person(request), form.cleaned_data["reason"]),
    )
