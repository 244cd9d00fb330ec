"""Search in the chats of one's tables, and a chat as a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import get_language, ngettext, override
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.characters import count, cut
from accounts.models import User
from accounts.rate_limits import client_key, hit
from games.access import private_page, reader_of
from games.chat.access import Reader, get_spectator, reader_at
from games.chat.export import chat_json
from games.chat.search import LONGEST_SEARCH, search, words_of
from games.models import Game
from games.models.matches import last_game


@private_page
@require_safe
@login_required
def my_messages(request: HttpRequest) -> HttpResponse:
    """Search one's messages. The query is in the address, so that people can return to the results."""
    typed = request.GET.get("q", "")
    error = _why_not(typed)
    words = () if error else words_of(typed)
    found = search(cast(User, request.user), words, _page(request)) if words else None
    context = {
        "typed": cut(typed, 4 * LONGEST_SEARCH),
        "error": error,
        "words": words,
        "found": found,
        "newer": _address(typed, found.page - 1) if found and found.page > 1 else "",
        "older": _address(typed, found.page + 1) if found and found.has_older else "",
    }
    return render(request, "chat/search.html", context, status=400 if error else 200)


def _why_not(typed: str) -> str:
    length = count(typed)
    if length > LONGEST_SEARCH:
        words = {"most": LONGEST_SEARCH, "count": length}
        # Translators: most and count are numbers of characters.
        said = ngettext(
            "A search can have at most %(most)d character. This one has %(count)d, so shorten it.",
            "A search can have at most %(most)d characters. This one has %(count)d, so shorten it.",
            LONGEST_SEARCH,
        )
        return said % words
    if typed.strip() and not words_of(typed):
        return _("There was no visible text. Enter a word to search for.")
    return ""


def _page(request: HttpRequest) -> int:
    """Return the page number in the address; 1 if it is invalid."""
    text = request.GET.get("page", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 1


def _address(typed: str, page: int) -> str:
    return "?" + urlencode({"q": typed, "page": page}, errors="replace")


# The chat of a table as a file, for players and, if they may read it, spectators


FILES_A_DAY = 100


@private_page
@require_safe
@login_required
def chat_file(request: HttpRequest, game_id: int) -> HttpResponse:
    """Send a player the chat they may read. Raises Http404 for anyone without a seat there."""
    game = get_object_or_404(Game.objects.select_related("table"), pk=game_id)
    reader = reader_at(game.table, reader_of(request))
    if reader.seat is None:
        raise Http404
    return _sent(request, game, reader)


@private_page
@require_safe
def watched_chat_file(request: HttpRequest, key: str) -> HttpResponse:
    """Send the chat to a visitor with the spectator link, if spectators may read it. Raises Http404."""
    reader = get_spectator(key)
    game = last_game(reader.table)
    if game is None:
        raise Http404
    return _sent(request, game, reader)


def _sent(request: HttpRequest, game: Game, reader: Reader) -> HttpResponse:
    """Return the file, limited per day for each user or, without an account, each connection."""
    if not reader.channels:
        raise Http404
    who = str(reader.user.pk) if reader.user is not None else client_key(request)
    if not hit("chat file", who, FILES_A_DAY):
        said = _(
            "Your connection has reached the daily limit for chat downloads (%(most)d). Try again tomorrow."
        )
        return render(request, "429.html", {"sentence": said % {"most": FILES_A_DAY}}, status=429)
    pieces = [] if request.method == "HEAD" else _in_this_language(chat_json(game, reader))
    response = StreamingHttpResponse(pieces, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="condottiere-chat-{game.pk}.json"'
    return response  # type: ignore[return-value]  # Django's stubs: what a view may answer too


def _in_this_language(pieces: Iterator[str]) -> Iterator[str]:
    """Return the pieces in the reader's language, though they're made after the view has answered."""
    language = get_language()

    def spoken() -> Iterator[str]:
        while True:
            with override(language):
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece

    return spoken()
