"""Open pages of a game that notice what happens: the answer to a page that asks again and again.

Without news nothing but that is said, before anything else is looked at. With news the page's own view
makes its blocks anew, with all its own checks: a token of this room opens nothing by itself.
"""

from __future__ import annotations

from collections.abc import Callable

from csp.middleware import CSPMiddleware
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.security import SecurityMiddleware
from django.views.decorators.http import require_safe

from accounts.middleware import told_by_link
from accounts.models import User
from games.access import get_door, get_link_door, get_practice_door
from games.links import BadLink
from games.models import Game
from games.private import private_page
from games.viewing.pulse import Kind, Viewer, has_no_news, read_live_token
from games.views.play import show_game
from games.views.watch import show_watched

ROOM = "/live/"
BLOCKS = "games/_parts/live_blocks.html"  # instead of the frame of a page


class QuietPolls:
    """Answers a poll without news at the door: 204, after one query. Everything else goes on to its view.

    It comes before all other middleware, so it says what they would have said: the policies of an answer that
    is stored nowhere are the same for every poll, and are asked for once.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self._headers: dict[bool, dict[str, str]] = {}  # by whether the connection is encrypted

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info.startswith(ROOM) and request.method == "GET":
            token = request.path_info[len(ROOM) :].rstrip("/")
            if has_no_news(token):
                return HttpResponse(status=204, headers=self._headers_for(request))
        return self.get_response(request)

    def _headers_for(self, request: HttpRequest) -> dict[str, str]:
        is_secure = bool(request.is_secure())
        if is_secure not in self._headers:
            self._headers[is_secure] = dict(_quiet(request).items())
        return self._headers[is_secure]


def _quiet(request: HttpRequest) -> HttpResponse:
    """The answer without news as the middleware that speaks of policies leaves it."""
    answer = XFrameOptionsMiddleware(private_page(lambda _request: HttpResponse(status=204)))
    said: HttpResponse = SecurityMiddleware(CSPMiddleware(answer))(request)  # type: ignore[assignment]
    return said


@private_page
@require_safe
def live(request: HttpRequest, token: str) -> HttpResponse:
    """The blocks of the page that asks, made anew. Raises Http404 for who may not see it any more."""
    try:
        viewer, _version = read_live_token(token)
        return _blocks(request, viewer)
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
    door = get_link_door(str(viewer.key))
    return told_by_link(door.seat.user, request, lambda: show_game(request, door, frame=BLOCKS))
