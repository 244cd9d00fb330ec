"""A person's page: their finished games, as far as the reader may know them."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from games.access import get_person, person_of, reader_of
from games.links import person_path
from games.private_pages import private_page
from games.selectors.counted_games import counted_games


@private_page
@require_safe
def person(request: HttpRequest, key: str) -> HttpResponse:
    """Show a person to everyone who has the address of their page, unless they hide it."""
    shown = get_person(request, key)
    reader = reader_of(request)
    context = {
        "person": shown,
        "is_own": shown == reader,
        "games": counted_games(shown, reader).count(),
    }
    return render(request, "games/person.html", context)


@require_safe
@login_required
def my_page(request: HttpRequest) -> HttpResponse:
    """Lead a signed-in person to their own page."""
    return redirect(person_path(person_of(request).pk))
