"""The page on which somebody searches in what he and others wrote at his tables."""

from __future__ import annotations

from typing import cast
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.models import User
from games.press.searching import LONGEST_SEARCH, search, words_of
from games.private import private_page


@private_page
@require_safe
@login_required
def my_messages(request: HttpRequest) -> HttpResponse:
    """What was typed is in the address, so that one comes back to what was found."""
    typed = request.GET.get("q", "")
    error = _why_not(typed)
    words = () if error else words_of(typed)
    found = search(cast(User, request.user), words, _page(request)) if words else None
    context = {
        "typed": typed[: 4 * LONGEST_SEARCH],
        "error": error,
        "words": words,
        "found": found,
        "newer": _address(typed, found.page - 1) if found and found.page > 1 else "",
        "older": _address(typed, found.page + 1) if found and found.has_older else "",
    }
    return render(request, "press/search.html", context, status=400 if error else 200)


def _why_not(typed: str) -> str:
    if len(typed) > LONGEST_SEARCH:
        words = {"most": LONGEST_SEARCH, "count": len(typed)}
        return _("A search has at most %(most)d characters; this one has %(count)d.") % words
    if typed.strip() and not words_of(typed):
        return _("Type a word: there was nothing in it that can be seen.")
    return ""


def _page(request: HttpRequest) -> int:
    """The page in the address; the first for anything else."""
    text = request.GET.get("page", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 1


def _address(typed: str, page: int) -> str:
    return "?" + urlencode({"q": typed, "page": page}, errors="replace")
