"""What a player does about a game beside playing it: his own notes, and the rematch."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.models import User
from games import commands
from games.access import get_door
from games.commands import Refused
from games.forms import NoteForm
from games.models import Game
from games.private import private_page
from games.views.arrangements import show_arrangements


@private_page
@require_POST
@login_required
def note(request: HttpRequest, game_id: int) -> HttpResponse:
    """Keep the signed-in player's note; one that cannot be kept stays in the form."""
    door = get_door(request, game_id)
    form = NoteForm(request.POST)
    if not form.is_valid():
        return show_arrangements(request, door, _("Your note was not kept; see below."), {"note_form": form})
    commands.write_note(door.game, _person(request), form.cleaned_data["text"])
    messages.success(request, _("Your note is kept."))
    return redirect("game", door.game.pk)


@private_page
@require_POST
@login_required
def rematch(request: HttpRequest, game_id: int) -> HttpResponse:
    """A seat at the rematch for somebody who played the game; its table is made if need be."""
    door = get_door(request, game_id)
    try:
        table = commands.rematch(door.game, _person(request))
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("game", door.game.pk)
    begun = Game.objects.filter(table=table).last()
    if begun is not None:  # against bots alone
        messages.success(request, _("The rematch has begun."))
        return redirect("game", begun.pk)
    if table.host != request.user:
        messages.success(request, _("You have a seat at the rematch."))
    elif table.invitations.exists():
        messages.success(request, _("The table of the rematch is set, and the others are invited."))
    else:
        messages.success(request, _("The table of the rematch is set."))
    return redirect("table", table.pk)


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
