"""Template tags that show on the home page and among a person's games what leagues have for them."""

from __future__ import annotations

from typing import Any

from django import template

from accounts.models import User
from games.leagues.selectors.next_tables import next_tables
from games.leagues.selectors.waiting_for_organisers import WaitingForOrganiser, waiting_for_organiser
from games.leagues.selectors.waiting_in_leagues import WaitingInLeague, waiting_in_leagues

register = template.Library()


@register.simple_tag(name="waiting_in_leagues")
def all_that_waits_in_leagues(user: User) -> list[WaitingInLeague | WaitingForOrganiser]:
    """Return what waits for the person as a player, then as an organiser."""
    return [*waiting_in_leagues(user), *waiting_for_organiser(user)]


@register.inclusion_tag("leagues/_parts/next_tables.html")
def next_league_tables(user: User) -> dict[str, Any]:
    """Show the person's tables that are drawn and have not begun."""
    return {"tables": next_tables(user)}
