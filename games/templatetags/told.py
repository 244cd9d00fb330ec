"""Template tags for whether somebody is written to about a game. Read only."""

from __future__ import annotations

from django import template

from accounts.models import User
from accounts.post import failing
from games.models import Game

register = template.Library()


@register.simple_tag
def letters_fail(game: Game, person: User) -> bool:
    """Whether letters to this player of the game fail."""
    return bool(failing.fails([person.email]))
