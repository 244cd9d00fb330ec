"""The organiser's page of a league, and what they do before a season begins."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from accounts import clock
from accounts.models import User
from accounts.time_elements import day_element, with_times
from games.forms.plain import PlainForm
from games.leagues.access import get_assisted, get_organised_season
from games.leagues.forms.league_fields import ReasonForm
from games.leagues.models import League, Season
from games.leagues.selectors.concern_texts import concern_lines
from games.leagues.selectors.organiser_dashboard import season_for_assistant, season_now
from games.leagues.selectors.organiser_tasks import organiser_tasks_of
from games.leagues.selectors.staff_rows import asked_until
from games.leagues.services.cancellation import cancel
from games.leagues.services.permissions import is_organiser
from games.leagues.services.season_end import is_correctable
from games.leagues.services.season_start import begin_with_fewer
from games.leagues.services.short_seasons import Shortage, ShortSeason, shortage_of
from games.leagues.services.sign_up_opening import open_sign_up
from games.leagues.views.organiser_decisions import OrganiserDecision, decides, person
from games.services import Refused


@require_safe
@login_required
def organise(request: HttpRequest, number: int) -> HttpResponse:
    """Show the tasks that need the organiser, what comes next automatically, and what they can do.

    Assistants get no tasks, and only what they may do.
    """
    league, now = get_assisted(request, number), clock.now()
    if not is_organiser(league, person(request)):
        return _assist(request, league, now)
    seasons = list(league.seasons.order_by("-number"))
    going_on = [season for season in seasons if season.state not in Season.OVER]
    for season in going_on:
        season.league = league
    told = [one.task for one in concern_lines(league, person(request), now)]
    context = {
        "league": league,
        "asked_until": asked_until(league, person(request)),
        "last": seasons[0] if seasons else None,
        "needs": (*told, *organiser_tasks_of(league, now)),
        "seasons": [season_now(season, now) for season in going_on],
        "correctable": [one for one in seasons if one.state in Season.OVER and is_correctable(one)],
        # To later seasons we invite the players of the one before.
        "without_people": seasons[0] if len(seasons) == 1 and _has_no_one(seasons[0]) else None,
        "may_plan": not any(season.state in Season.BEFORE_PLAY for season in going_on),
    }
    return render(request, "leagues/organise/organise.html", context)


def _has_no_one(season: Season) -> bool:
    """Return whether no one has signed up for a season ahead, or was invited to it."""
    is_ahead = season.state in Season.BEFORE_PLAY
    return is_ahead and not season.entries.exists() and not season.invited.exists()


def _assist(request: HttpRequest, league: League, now: datetime) -> HttpResponse:
    going_on = league.seasons.filter(state__in=Season.GOING_ON).select_related("league").order_by("-number")
    context = {"league": league, "seasons": [season_for_assistant(season, now) for season in going_on]}
    return render(request, "leagues/organise/assist.html", context)


@decides(get_organised_season)
def open_now(request: HttpRequest, found: Season) -> OrganiserDecision:
    """Open the sign-up before its planned day."""
    return OrganiserDecision(
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
        act=lambda _given: _open_sign_up(found, person(request)),
    )


def _open_sign_up(season: Season, organiser: User) -> None:
    """Open the sign-up. Safe to repeat."""
    is_opened = open_sign_up(season, organiser, clock.now())
    season.refresh_from_db(fields=["state"])
    if not is_opened and season.state != Season.State.SIGN_UP:
        raise Refused(_("Sign-up for this season is over. Nothing was changed."))


@decides(get_organised_season)
def begin_smaller(request: HttpRequest, found: Season) -> OrganiserDecision:
    """Begin a season that has too few players with those there are."""
    short = shortage_of(found, clock.now())
    early = short if short is not None and short.stage != Shortage.WAITING else None
    return OrganiserDecision(
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
            *(_early_start_texts(early) if early else [_start_text(found)]),
        ),
        _("Begin with fewer players") if early else _("Begin the season"),
        _("The season begins as planned, with fewer players.") if early else _started_text(found),
        form=ReasonForm(request.POST or None),
        act=lambda given: begin_with_fewer(found, person(request), given["reason"]),
    )


def _start_text(season: Season) -> str:
    text = (
        # Translators: begins is a date.
        _("The first tables begin on %(begins)s.")
        if season.most_divisions == 1
        # Translators: begins is a date.
        else _("Divisions are drawn at once. The first tables begin on %(begins)s.")
    )
    return with_times(text, {"begins": day_element(max(season.begins_at, clock.now()))})


def _started_text(season: Season) -> str:
    if season.most_divisions == 1:
        return _("The season begins.")
    return _("The season begins, and its divisions are drawn.")


def _early_start_texts(short: ShortSeason) -> list[str]:
    """Return what the decision changes before the season should begin."""
    text = ngettext(
        "The season then needs %(n)d player. Its dates stay as planned, and people can still sign up.",
        "The season then needs %(n)d players. Its dates stay as planned, and people can still sign up.",
        short.taken,
    )
    return [text % {"n": short.taken}, _("We’ll email your reason to everyone in the season.")]


@decides(get_organised_season)
def cancel_season(request: HttpRequest, found: Season) -> OrganiserDecision:
    """Cancel a season that has not begun."""
    return OrganiserDecision(
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
