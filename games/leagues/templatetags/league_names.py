"""Template tags for the names of players, seasons and divisions, and for points. They change nothing."""

from __future__ import annotations

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.models import User
from games.leagues.access import LeagueAccess
from games.leagues.models import Division, Season
from games.leagues.selectors.exact_numbers import as_people_read, exactly

register = template.Library()
register.filter("number", as_people_read)
register.filter("exactly", exactly)


@register.simple_tag
def player_name(person: User | None, access: LeagueAccess | None = None, name: str = "") -> SafeString | str:
    """Return a player's name as a link to their page, or the plain name if the reader may not open it.

    There is no link to a closed account, and none for the name of a bot. In a private league, readers who
    came only by its joining link get no links.
    """
    if person is None:
        return name
    called = name or person.shown_name
    is_hidden = access is not None and access.league.is_private and not access.is_person
    if is_hidden or person.deleted_at is not None:
        return called
    return format_html('<a href="{}">{}</a>', reverse("player", args=[person.pk]), called)


@register.simple_tag
def season_name(season: Season) -> str:
    """Return a season's name with its league."""
    # Translators: league is the name of a league
    return _("%(league)s, season %(number)d") % {"league": season.league, "number": season.number}


@register.simple_tag
def division_name(division: Division) -> str:
    """Return a division's name with its letter, or "Standings" if the season can have only one."""
    if division.season.most_divisions == 1:
        return pgettext("heading", "Standings")
    # Translators: division is its letter, such as B
    return _("Division %(division)s") % {"division": division.letter}
