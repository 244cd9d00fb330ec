"""The page that searches one's own messages in the chats of one's tables."""

from __future__ import annotations

from typing import cast
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from accounts.characters import count, cut
from accounts.models import User
from games.chat.search import LONGEST_SEARCH, search, words_of
from games.private_pages import private_page


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
