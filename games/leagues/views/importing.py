"""Inviting people to a season: by their addresses, or from a list. Who is invited signs up himself."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounts.views import name_required
from games.commands import Refused
from games.leagues.access import get_organised_invited, get_organised_season
from games.leagues.commands import inviting
from games.leagues.commands.player_lists import BadRows
from games.leagues.forms.importing import ImportForm, InviteForm
from games.leagues.models import Season
from games.leagues.views.organising import person, read_or_send, show_form


@read_or_send
@login_required
@name_required
def invite(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """Write to some people; an address that cannot be invited is named, the others are."""
    found = get_organised_season(request, number, season)
    form = InviteForm(found, request.POST or None)
    if request.method == "POST" and form.is_valid():
        for email, name in form.cleaned_data["invited"].items():
            _invite(request, found, email, form.cleaned_data.get("level"), name)
        return redirect("season_players", number, season)
    return show_form(request, "leagues/organise/invite.html", form, league=found.league, season=found)


def _invite(request: HttpRequest, season: Season, email: str, level: int | None, name: str) -> None:
    try:
        inviting.invite(season, person(request), email, level, name)
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("%(email)s is invited.") % {"email": email})


@read_or_send
@login_required
@name_required
def import_list(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """Invite everybody of a list, or nobody: then all that is wrong is told by its line; the list stays."""
    found = get_organised_season(request, number, season)
    form = ImportForm(request.POST or None, request.FILES or None)
    wrong: tuple[tuple[int, str], ...] = ()
    if request.method == "POST" and form.is_valid():
        try:
            count = inviting.import_players(found, person(request), form.list)
        except BadRows as bad:
            wrong = bad.errors
            form = _to_mend(form)
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            told = ngettext("%(n)d player is invited.", "%(n)d players are invited.", count)
            messages.success(request, told % {"n": count})
            return redirect("season_players", number, season)
    told_all = {"league": found.league, "season": found, "wrong": wrong}
    return show_form(request, "leagues/organise/import.html", form, status=400 if wrong else None, **told_all)


def _to_mend(form: ImportForm) -> ImportForm:
    """The same list in the field to be mended, be it that it came as a file."""
    return ImportForm(initial={"text": form.text_to_mend})


@require_POST
@login_required
def withdraw(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """Take an invitation back that has not been answered."""
    found = get_organised_invited(request, number, pk)
    try:
        inviting.withdraw_invitation(found, person(request))
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("The invitation is withdrawn."))
    return redirect("season_players", number, found.season.number)
