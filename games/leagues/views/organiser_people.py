"""Pages on which an organiser sees, moves, expels and adds players of a season."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts import clock
from accounts.mail.outbox import delayed
from games.forms.plain import PlainForm
from games.leagues.access import get_organised_division, get_organised_registration, get_organised_season
from games.leagues.forms.league_fields import ReasonForm
from games.leagues.forms.player_forms import MoveForm, levels_of
from games.leagues.models import Division, Invitation, Registration, Season
from games.leagues.selectors.names_in_leagues import name_in
from games.leagues.selectors.organiser_lists import (
    divisions_of,
    has_begun,
    in_natural_order,
    open_answers,
    substitute_names,
)
from games.leagues.services.division_moves import move_entry
from games.leagues.services.join_requests import accept_request, decline_request
from games.leagues.services.left_places import fill_gap
from games.leagues.services.withdrawals import expel
from games.leagues.views.organiser_decisions import OrganiserDecision, decides, person


@require_safe
@login_required
def players(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """List everyone in a season by division, and everyone invited."""
    found = get_organised_season(request, number, season)
    everybody, emails = divisions_of(found), dict(levels_of(found))
    divisions = [row for row in everybody if row.division]
    invited = sorted(found.invited.all(), key=lambda one: in_natural_order(one.email))
    late = delayed(one.email_key for one in invited if one.state == Invitation.State.SENT)
    context = {
        "league": found.league,
        "season": found,
        "divisions": divisions,
        "others": [row for row in everybody if not row.division],
        "invited": [(one, emails.get(one.level or 0), one.email_key in late) for one in invited],
        "answers": open_answers(found),
        "substitutes": substitute_names(found),
        "may_invite": found.state in Season.BEFORE_PLAY,
        "has_waiting": found.entries.filter(state=Registration.State.WAITING).exists(),
        "is_over": found.state in Season.OVER,
        "may_move": len(divisions) > 1 and found.state == Season.State.RUNNING and not has_begun(found),
    }
    return render(request, "leagues/organise/players.html", context)


@decides(get_organised_registration)
def accept_entry(request: HttpRequest, found: Registration) -> OrganiserDecision:
    """Accept a request to join a season."""
    name = name_in(found.season.league_id, found.user)
    return OrganiserDecision(
        found.season.league,
        # Translators: name is a player; number is the season's.
        _("Accept %(name)s into season %(number)d") % {"name": name, "number": found.season.number},
        (
            # Translators: name is a player.
            _("%(name)s gets a place, or is last on the waiting list if all places are taken.")
            % {"name": name},
            # Translators: name is a player.
            _("We’ll email %(name)s.") % {"name": name},
        ),
        _("Accept the request"),
        # Translators: name is a player.
        _("You accepted %(name)s.") % {"name": name},
        form=PlainForm(request.POST or None),
        act=lambda _given: accept_request(found, person(request)),
        back=players_of(found.season),
    )


@decides(get_organised_registration)
def decline_entry(request: HttpRequest, found: Registration) -> OrganiserDecision:
    """Decline a request to join a season."""
    name = name_in(found.season.league_id, found.user)
    return OrganiserDecision(
        found.season.league,
        # Translators: name is a player; number is the season's.
        _("Decline the request of %(name)s to join season %(number)d")
        % {"name": name, "number": found.season.number},
        (
            # Translators: name is a player.
            _("%(name)s can’t ask again for this season. You can still invite them.") % {"name": name},
            # Translators: name is a player.
            _("We’ll email your reason to %(name)s.") % {"name": name},
        ),
        _("Decline the request"),
        # Translators: name is a player.
        _("You declined the request of %(name)s.") % {"name": name},
        form=ReasonForm(request.POST or None),
        act=lambda given: decline_request(found, person(request), given["reason"]),
        back=players_of(found.season),
    )


@decides(get_organised_registration)
def expel_entry(request: HttpRequest, found: Registration) -> OrganiserDecision:
    """Expel a player from a season."""
    name = name_in(found.season.league_id, found.user)
    return OrganiserDecision(
        found.season.league,
        # Translators: name is a player; number is the season's.
        _("Expel %(name)s from season %(number)d") % {"name": name, "number": found.season.number},
        (
            # Translators: name is a player.
            _("%(name)s can no longer play or substitute in this season, and is marked as expelled.")
            % {"name": name},
            _("At tables in progress, a bot takes over at once. We ask substitutes to take each seat."),
            # Translators: name is a player.
            _("We’ll email your reason to %(name)s.") % {"name": name},
            _("You can’t undo this."),
        ),
        _("Expel the player"),
        # Translators: name is a player.
        _("You expelled %(name)s.") % {"name": name},
        is_final=True,
        form=ReasonForm(request.POST or None),
        act=lambda given: expel(found, person(request), given["reason"]),
        back=players_of(found.season),
    )


@decides(get_organised_registration)
def move(request: HttpRequest, found: Registration) -> OrganiserDecision:
    """Move a player to another division."""
    season, name = found.season, name_in(found.season.league_id, found.user)
    others = [(one.level, one.letter) for one in season.divisions.all() if one.pk != found.division_id]
    return OrganiserDecision(
        season.league,
        # Translators: name is a player.
        _("Move %(name)s to another division") % {"name": name},
        (
            *_division_text(found, name),
            _("You can only move players until the first tables begin."),
            # Translators: name is a player.
            _("We’ll email your reason to %(name)s.") % {"name": name},
        ),
        _("Move the player"),
        # Translators: name is a player.
        _("You moved %(name)s to another division.") % {"name": name},
        form=MoveForm(request.POST or None, choices={"level": others}),
        act=lambda given: move_entry(found, person(request), given["level"], given["reason"]),
        back=players_of(season),
    )


def _division_text(entry: Registration, name: str) -> tuple[str, ...]:
    """Return the division that the player is in, if any."""
    if entry.division is None:
        return ()
    words = {"name": name, "division": entry.division.letter}
    # Translators: name is a player; division is a letter of the alphabet.
    return (_("%(name)s is in division %(division)s now.") % words,)


@decides(get_organised_division)
def fill(request: HttpRequest, division: Division) -> OrganiserDecision:
    """Fill a free place of a division with the player who has waited longest."""
    season = division.season
    return OrganiserDecision(
        season.league,
        # Translators: division is a letter of the alphabet.
        _("Fill a free place in division %(division)s") % {"division": division.letter},
        (
            _("The first player on the waiting list takes the place and plays tables that have not begun."),
            _("Earlier rounds count as not played for them."),
            _("We’ll email them your reason."),
        ),
        _("Fill the place"),
        _("You filled the place."),
        form=ReasonForm(request.POST or None),
        act=lambda given: fill_gap(division, person(request), clock.now(), given["reason"]),
        back=players_of(season),
    )


def players_of(season: Season) -> str:
    """Return the path of the list of a season's players."""
    return reverse("season_players", args=[season.league_id, season.number])
