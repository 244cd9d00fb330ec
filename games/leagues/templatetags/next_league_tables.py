"""The template tag with which the home page shows a person's next tables in leagues. It changes nothing."""

from __future__ import annotations

from typing import Any

from django import template

from accounts.models import User
from games.leagues.selectors.next_tables import next_tables

register = template.Library()


@register.inclusion_tag("leagues/_parts/next_tables.html")
def next_league_tables(user: User) -> dict[str, Any]:
    """Show the person's tables that are drawn and have not begun."""
    return {"tables": next_tables(user)}
