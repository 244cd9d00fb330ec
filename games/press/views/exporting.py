"""The talk of a table as a file, for its players and, where they may read it, for watchers."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.limits import client_key, spend
from games.access import get_watched_table
from games.matches import last_game
from games.models import Game
from games.press.access import Reader, person, reader_at
from games.press.exporting import talk_json
from games.private import private_page
from games.reading import read_company

FILES_A_DAY = 100


@private_page
@require_safe
@login_required
def talk_file(request: HttpRequest, game_id: int) -> HttpResponse:
    """What a player may read of the talk. Raises Http404 for who has no seat there."""
    game = get_object_or_404(Game.objects.select_related("table"), pk=game_id)
    read_company(game.table)
    reader = reader_at(game.table, person(request))
    if reader.seat is None:
        raise Http404
    return _sent(request, game, reader)


@private_page
@require_safe
def watched_talk_file(request: HttpRequest, key: str) -> HttpResponse:
    """The same for who has the watching link, where watchers read what is said. Raises Http404."""
    table = get_watched_table(key)
    read_company(table)
    game = last_game(table)
    if game is None:
        raise Http404
    return _sent(request, game, Reader(table, is_let_in=True))


def _sent(request: HttpRequest, game: Game, reader: Reader) -> HttpResponse:
    """The file, so many a day for each person or, without account, each connection."""
    if not reader.circles:
        raise Http404
    who = str(reader.user.pk) if reader.user is not None else client_key(request)
    if not spend("talk file", who, FILES_A_DAY):
        said = _(
            "The talk was downloaded %(most)d times by you or from your connection today. Try again tomorrow."
        )
        return render(request, "429.html", {"sentence": said % {"most": FILES_A_DAY}}, status=429)
    pieces = [] if request.method == "HEAD" else talk_json(game, reader)
    response = StreamingHttpResponse(pieces, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="condottiere-talk-{game.pk}.json"'
    return response  # type: ignore[return-value]  # Django's stubs: what a view may answer too
