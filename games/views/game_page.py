"""The game page: a game as one access shows it, with the extras of that player."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render

from accounts.full_disk import optional_write
from games.access import SAFE, GameAccess
from games.chat.access import Reader, reader_at
from games.chat.read_markers import has_news, mark_read
from games.models import Game
from games.models.locking import Refused
from games.presenters.game_page import GamePage, PageRequest, game_page
from games.presenters.live_section import LiveSection
from games.services.read_markers import ReadUpTo, mark_game_read, read_up_to
from games.views.history import opened_by
from games.views.page_version import live_url, page_version, viewer_at

WHOLE = "base.html"  # the frame of a page that is opened; news have another


def show_game(
    request: HttpRequest,
    access: GameAccess,
    problem: str = "",
    status: int = 200,
    frame: str = WHOLE,
    picked: str = "",
) -> HttpResponse:
    """Render the game page and mark it as read.

    `problem` says why the last attempt failed; `picked` is the card that is already picked.
    """
    reader = reader_at(access.seat.table, access.seat.user, access.game) if access.is_seated else None
    live = _live(request, access, reader)  # before the log is read: anything that happens in between is news
    new_from = _mark_read(request, access, reader, is_current=live is not None) if reader else None
    attempt = PageRequest(opened_by(request), new_from, problem, picked, _typed_order(request))
    page = game_page(access, attempt, reader, live)
    return render(request, "games/game.html", _context(page, frame), status=status)


def _context(page: GamePage, frame: str) -> dict[str, Any]:
    context: dict[str, Any] = {"page": page, "frame": frame, "is_whole": frame == WHOLE}
    if page.access is not None and page.access.is_seated:  # the frame need not read it again
        context["failing_mail"] = page.emails.of_reader
    return context


def turn_away(request: HttpRequest, access: GameAccess, refused: Refused) -> HttpResponse:
    """Say why nothing was done, and open the page again: the seat may no longer be this player's."""
    messages.error(request, str(refused))
    return redirect(access.decision_url)


def _typed_order(request: HttpRequest) -> QueryDict | None:
    """Return the form with an order to fight on that was refused, so that no one types it twice."""
    is_fight = "fight_on" in request.POST or request.POST.get("order") == "fight"
    return request.POST if is_fight else None


def _live(request: HttpRequest, access: GameAccess, reader: Reader | None) -> LiveSection | None:
    """Return how the open page asks for news; None if this viewer may no longer see the game."""
    viewer = viewer_at(access)
    was_read = access.game if request.method in SAFE else None
    version = page_version(viewer, was_read, reader.channels if reader else ())
    return LiveSection(live_url(viewer), version) if version else None


def _mark_read(request: HttpRequest, access: GameAccess, reader: Reader, *, is_current: bool) -> int | None:
    """Record what the player reads now; return the step from which the log is new to them.

    `is_current`: the seat is still theirs.
    """
    game, person = access.game, access.seat.person
    seen = read_up_to(game, person)
    if request.method == "GET":
        if is_current:
            mark_game_read(game, person, game.step, seen)
        if (channel := reader.main_channel) and has_news(channel):
            with optional_write("a read marker"):
                mark_read(channel, person, channel.newest, is_first=channel.last_read is None)
    return _first_unread(seen, game)


def _first_unread(seen: ReadUpTo | None, game: Game) -> int | None:
    """Return the step from which this game's log is new to them; None where nothing is marked."""
    if seen is None or seen.number > game.number:
        return None
    return seen.step if seen.number == game.number else 0
