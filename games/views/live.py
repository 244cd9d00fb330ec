"""Open pages of a game that notice what happens: the answer to a page that asks again and again.

A page says by `If-None-Match` which pulse it has. Without news the answer is 304; with news the page's own
view makes its blocks anew, with all its own checks: a token of this room opens nothing by itself.
"""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import condition, require_safe

from accounts.middleware import told_by_link
from accounts.models import User
from games.access import get_door, get_link_door, get_practice_door
from games.links import BadLink
from games.models import Game
from games.private import private_page
from games.views.play import show_game
from games.views.pulse import Kind, Viewer, pulse_of, read_live_token
from games.views.watch import show_watched

BLOCKS = "games/_parts/live_blocks.html"  # instead of the frame of a page


def _etag(request: HttpRequest, token: str) -> str | None:
    try:
        pulse = pulse_of(read_live_token(token))
    except BadLink:
        return None
    return f'"{pulse}"' if pulse is not None else None


@private_page
@require_safe
@condition(etag_func=_etag)
def live(request: HttpRequest, token: str) -> HttpResponse:
    """The blocks of the page that asks, made anew. Raises Http404 for who may not see it any more."""
    try:
        return _blocks(request, read_live_token(token))
    except BadLink as error:
        raise Http404 from error


def _blocks(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    match viewer.kind:
        case Kind.PLAYER:
            if not isinstance(request.user, User) or request.user.pk != viewer.key:
                raise Http404
            return show_game(request, get_door(request, viewer.game), frame=BLOCKS)
        case Kind.GUEST:
            return show_game(request, get_practice_door(str(viewer.key)), frame=BLOCKS)
        case Kind.WATCHER:
            number = Game.objects.filter(pk=viewer.game).values_list("number", flat=True).first()
            return show_watched(request, str(viewer.key), number, frame=BLOCKS)
    door = get_link_door(request, str(viewer.key))
    return told_by_link(door.seat.user, request, lambda: show_game(request, door, frame=BLOCKS))
