"""A person's page: their finished games, as far as the reader may know them."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from games.access import get_person, person_of, reader_of
from games.links import person_path
from games.presenters.person_page import person_page
from games.private_pages import private_page


@private_page
@require_safe
def person(request: HttpRequest, signed: str) -> HttpResponse:
    """Show a person to everyone who has the address of their page, unless they hide it."""
    page = person_page(get_person(request, signed), reader_of(request))
    return render(request, "games/person.html", {"page": page})


@require_safe
@login_required
def my_page(request: HttpRequest) -> HttpResponse:
    """Lead a signed-in person to their own page."""
    return redirect(person_path(person_of(request).pk))
