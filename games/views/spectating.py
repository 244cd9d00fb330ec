"""Pages for spectators, who see what everyone at the table sees, and the live blocks of an open page."""

from __future__ import annotations

from dataclasses import replace

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import condition, require_safe

from accounts.middleware import in_readers_locale, in_recipients_locale
from accounts.paging import page_of
from games.access import (
    get_game_access,
    get_link_access,
    get_practice_access,
    get_watched_table,
    person_of,
    reader_of,
)
from games.chat.access import reader_at
from games.links import BadLink
from games.models import Game
from games.models.games_for_pages import read_roster
from games.models.replay import replayed_for
from games.narration.roster import roster_at
from games.narration.seat_names import shown_names
from games.presenters.game_page import GamePage, PageRequest, watched_page
from games.presenters.live_section import LiveSection
from games.presenters.position import Position
from games.presenters.reading import reading_of_watched
from games.private_pages import private_page
from games.selectors.games_to_watch import games_anyone_watches, watch_rows
from games.views.game_page import show_game
from games.views.history import opened_by, watched_game
from games.views.page_version import NO_SEAT, Viewer, ViewerKind, live_url, page_version, read_live_token

GAMES_ON_A_PAGE = 30
MOST_GAMES = 600
BLOCKS = "games/_parts/live_blocks.html"  # instead of the frame of a page


def _etag(request: HttpRequest, token: str) -> str | None:
    try:
        version = page_version(read_live_token(token), is_visible="X-Visible" in request.headers)
    except BadLink:
        return None
    return f'"{version}"' if version is not None else None


@private_page
@require_safe
@condition(etag_func=_etag)
def live(request: HttpRequest, token: str) -> HttpResponse:
    """Render the blocks of the page that polls. Raises Http404 for viewers who may no longer see it."""
    try:
        viewer = read_live_token(token)
        return in_readers_locale(request, lambda request: _blocks(request, viewer))
    except BadLink as error:
        raise Http404 from error


def _blocks(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    match viewer.kind:
        case ViewerKind.PLAYER:
            if person_of(request).pk != viewer.key:
                raise Http404
            return show_game(request, get_game_access(request, viewer.game), frame=BLOCKS)
        case ViewerKind.GUEST:
            return show_game(request, get_practice_access(str(viewer.key)), frame=BLOCKS)
        case ViewerKind.SPECTATOR:
            number = Game.objects.filter(pk=viewer.game).values_list("number", flat=True).first()
            return show_watched(request, str(viewer.key), number, frame=BLOCKS)
    access = get_link_access(request, str(viewer.key))
    return in_recipients_locale(access.seat.user, request, lambda: show_game(request, access, frame=BLOCKS))


@require_safe
def games_to_watch(request: HttpRequest) -> HttpResponse:
    """List the games anyone may watch: running ones by last move, then finished ones."""
    games = games_anyone_watches()[:MOST_GAMES]
    page = page_of(games, request.GET.get("page"), GAMES_ON_A_PAGE)
    return render(request, "games/games_to_watch.html", {"page": page, "rows": watch_rows(page.rows)})


@private_page
@require_safe
def watch(request: HttpRequest, key: str, number: int | None = None) -> HttpResponse:
    """Show a table by its watching link: the roster before the game, then the game as everyone sees it."""
    return show_watched(request, key, number)


def show_watched(
    request: HttpRequest, key: str, number: int | None, frame: str = "base.html"
) -> HttpResponse:
    """Render the page of a table that lets people watch, or only its live blocks.

    In a match without a named game, it shows the game in progress or the last one played. Raises Http404 for
    a game that does not belong to this table.
    """
    table = get_watched_table(key)
    read_roster(table)
    game = watched_game(table, number)
    if game is None and number is not None:
        raise Http404
    reader, players = reader_of(request), {seat.user_id for seat in table.all_seats()}
    context = {
        "frame": frame,
        "table": table,
        "roster": roster_at(table, None),
        "plays_here": reader is not None and reader.pk in players,
        "page": _page(request, game) if game else None,
    }
    return render(request, "games/watch.html", context)


def _page(request: HttpRequest, game: Game) -> GamePage:
    table = game.table
    viewer = Viewer(ViewerKind.SPECTATOR, game.pk, NO_SEAT, table.watch_key)
    chat_reader = replace(reader_at(table, None), is_let_in=True)
    version = page_version(viewer, game, chat_reader.channels)  # before the log is read
    live = LiveSection(live_url(viewer), version) if version else None
    names = shown_names(table.all_seats(), None)
    position = Position(game, replayed_for(game, None), names, None)
    reading = reading_of_watched(game, names)
    return watched_page(position, reading, PageRequest(opened_by(request)), chat_reader, live)
