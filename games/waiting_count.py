"""How many games wait for the reader of a page, for its menu: counted at most once for each request."""

from __future__ import annotations

from django.http import HttpRequest

from accounts.models import User
from games.models import Seat

_NOTED = "games_waiting"  # on a request


def note_games_waiting(request: HttpRequest, number: int | None) -> None:
    """Note what the page has read anyway, so that its menu needs no query; None if it was not counted."""
    if number is not None:
        setattr(request, _NOTED, number)


def games_waiting(request: HttpRequest, reader: User) -> int:
    """Return how many games wait for the signed-in reader of this page."""
    noted: int | None = getattr(request, _NOTED, None)
    return Seat.objects.asked(reader).count() if noted is None else noted
