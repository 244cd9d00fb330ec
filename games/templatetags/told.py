"""Template tags for whether somebody is written to about a game. Read only."""

from __future__ import annotations

from django import template

from accounts.models import User
from accounts.post import failing
from accounts.post.unsubscribing import is_silenced
from games.links import list_of
from games.models import Game

register = template.Library()


@register.simple_tag
def letters_are_off(game: Game, person: User) -> bool:
    """Whether this player turned the game's letters off."""
    return is_silenced(person.email, list_of(game))


@register.simple_tag
def letters_fail(game: Game, person: User) -> bool:
    """Whether letters to this player of the game fail."""
    return bool(failing.fails([person.email]))
