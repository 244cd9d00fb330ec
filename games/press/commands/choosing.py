"""Choosing when letters of a circle come."""

from __future__ import annotations

from django.db import transaction

from accounts import present
from accounts.models import User
from games.press.commands.adding import stored
from games.press.commands.notices import follow_talk
from games.press.models import Circle, Following


@transaction.atomic
def choose_letters(circle: Circle, user: User, letters: str) -> None:
    """From now on letters of this circle come to him so, also what waits to be told; "" is as all talk."""
    circle = stored(circle)
    Following.objects.update_or_create(circle=circle, user=user, defaults={"letters": letters})
    follow_talk(user, present.now())
