"""Template tags that show on a person's page what leagues know about them."""

from __future__ import annotations

from django import template

from accounts.models import User
from games.leagues.access import readable_leagues
from games.leagues.selectors.league_players import is_in_leagues
from games.leagues.selectors.rating_chart import rating_chart
from games.leagues.selectors.rating_history import rating_histories

register = template.Library()
register.simple_tag(rating_chart)
register.simple_tag(rating_histories, name="ratings_of")


@register.simple_tag(takes_context=True)
def plays_in_leagues(context: template.Context, person: User) -> bool:
    """Return whether the reader of this page may open this person's page in leagues."""
    reader = context["user"]
    return is_in_leagues(person, readable_leagues(reader if reader.is_authenticated else None))
