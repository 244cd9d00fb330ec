"""Pages on which an organiser invites people to a season."""

from __future__ import annotations

from dataclasses import astuple
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounts.views.profile import name_required
from games.leagues.access import get_organised_invitation, get_organised_season
from games.leagues.forms.player_forms import InvitationForm, levels_of
from games.leagues.models import Season
from games.leagues.services import invitations
from games.leagues.services.player_list_rows import BadRows
from games.leagues.services.player_lists import Listed
from games.leagues.views.organiser_decisions import person, read_or_send, show_form
from games.services import Refused


@read_or_send
@login_required
@name_required
def invite(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """Preview whom a list would invite, or all that is wrong with it by line; then invite exactly those."""
    found = get_organised_season(request, number, season)
    if "shown" in request.POST:
        return _invite_shown(request, found)
    form = InvitationForm(request.POST or None, request.FILES or None)
    context: dict[str, Any] = {"league": found.league, "season": found}
    if request.method == "POST" and form.is_valid():
        try:
            context |= _preview(request, found, form)
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            form = InvitationForm(initial={"text": form.list})  # a file too, to correct
    status = 400 if context.get("wrong") else None
    return show_form(request, "leagues/organise/invite.html", form, status=status, **context)


def _preview(request: HttpRequest, season: Season, form: InvitationForm) -> dict[str, Any]:
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
