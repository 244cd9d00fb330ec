"""Pages on which an organiser invites, places and expels players."""

from __future__ import annotations

from dataclasses import astuple
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts import clock
from accounts.mail.outbox import delayed
from accounts.views import name_required
from games.leagues.access import (
    get_organised_division,
    get_organised_invitation,
    get_organised_registration,
    get_organised_season,
)
from games.leagues.forms.league_forms import (
    InviteForm,
    MoveForm,
    ReasonForm,
    levels_of,
)
from games.leagues.models import Division, Invitation, Registration, Season
from games.leagues.selectors.names_in_leagues import name_in
from games.leagues.selectors.organiser_lists import (
    divisions_of,
    has_begun,
    helpers_of,
)
from games.leagues.services import invitations
from games.leagues.services.adjudication import (
    move_entry,
)
from games.leagues.services.player_lists import BadRows, Listed
from games.leagues.services.withdrawals import expel, fill_gap
from games.leagues.views.organising import Decision, decides, person, read_or_send, show_form
from games.services import Refused


@read_or_send
@login_required
@name_required
def invite(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """Preview whom a list would invite, or all that is wrong with it by line; then invite exactly those."""
    found = get_organised_season(request, number, season)
    if "shown" in request.POST:
        return _invite_shown(request, found)
    form = InviteForm(request.POST or None, request.FILES or None)
    context: dict[str, Any] = {"league": found.league, "season": found}
    if request.method == "POST" and form.is_valid():
        try:
            context |= _preview(request, found, form)
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            form = InviteForm(initial={"text": form.list})  # a file too, to correct
    status = 400 if context.get("wrong") else None
    return show_form(request, "leagues/organise/invite.html", form, status=status, **context)


def _preview(request: HttpRequest, season: Season, form: InviteForm) -> dict[str, Any]:
    """Return what a list says: `wrong` lines, or whom it invites, both to show and signed."""
    try:
        found = invitations.read_list(season, person(request), form.list)
    except BadRows as bad:
        return {"wrong": bad.errors}
    letters = dict(levels_of(season))
    players = [astuple(one) for one in found.players]
    return {
        "found": found,
        "people": [(one, letters.get(one.level or 0)) for one in found.players],
        "has_guessed_encoding": form.has_guessed_encoding,
        "signed": signing.dumps(players, salt=_salt(request, season), compress=True),
    }


def _salt(request: HttpRequest, season: Season) -> str:
    return f"invite to season {season.pk} by {person(request).pk}"


def _invite_shown(request: HttpRequest, season: Season) -> HttpResponse:
    """Invite the people whom the preview showed."""
    try:
        rows = signing.loads(request.POST["shown"], salt=_salt(request, season), max_age=timedelta(days=1))
        count = invitations.invite_players(season, person(request), [Listed(*row) for row in rows])
    except signing.BadSignature:
        messages.error(request, _("That preview is too old. No one was invited. Send the list again."))
        return redirect("season_invite", season.league_id, season.number)
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        said = ngettext("You invited %(n)d player.", "You invited %(n)d players.", count)
        none = _("Everyone on that list has already been invited.")
        messages.success(request, said % {"n": count} if count else none)
    return redirect("season_players", season.league_id, season.number)


@require_POST
@login_required
def withdraw(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """Withdraw an invitation that has not been answered."""
    found = get_organised_invitation(request, number, pk)
    try:
        invitations.withdraw_invitation(found, person(request))
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("You withdrew the invitation."))
    return redirect("season_players", number, found.season.number)


# Players of a season. Each decision has a page that first shows its effects.


@require_safe
@login_required
def players(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """List everyone in a season by division, and everyone invited."""
    found = get_organised_season(request, number, season)
    everybody, emails = divisions_of(found), dict(levels_of(found))
    divisions = [row for row in everybody if row.division]
    invited = list(found.invited.all())
    late = delayed(one.email_key for one in invited if one.state == Invitation.State.SENT)
    context = {
        "league": found.league,
        "season": found,
        "divisions": divisions,
        "others": [row for row in everybody if not row.division],
        "invited": [(one, emails.get(one.level or 0), one.email_key in late) for one in invited],
        "helpers": helpers_of(found),
        "has_waiting": found.entries.filter(state=Registration.State.WAITING).exists(),
        "is_over": found.state in Season.OVER,
        "may_move": len(divisions) > 1 and found.state == Season.State.RUNNING and not has_begun(found),
    }
    return render(request, "leagues/organise/players.html", context)


@decides(get_organised_registration)
def expel_entry(request: HttpRequest, found: Registration) -> Decision:
    """Expel a player from a season."""
    name = name_in(found.season.league_id, found.user)
    return Decision(
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
def move(request: HttpRequest, found: Registration) -> Decision:
    """Move a player to another division."""
    season, name = found.season, name_in(found.season.league_id, found.user)
    others = [(one.level, one.letter) for one in season.divisions.all() if one.pk != found.division_id]
    return Decision(
        season.league,
        # Translators: name is a player.
        _("Move %(name)s to another division") % {"name": name},
        (
            *_division_now(found, name),
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


def _division_now(entry: Registration, name: str) -> tuple[str, ...]:
    """Return the division that the player is in, if any."""
    if entry.division is None:
        return ()
    words = {"name": name, "division": entry.division.letter}
    # Translators: name is a player; division is a letter of the alphabet.
    return (_("%(name)s is in division %(division)s now.") % words,)


@decides(get_organised_division)
def fill(request: HttpRequest, division: Division) -> Decision:
    """Fill a free place of a division with the player who has waited longest."""
    season = division.season
    return Decision(
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
