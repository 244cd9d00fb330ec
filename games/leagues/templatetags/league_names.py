"""Template tags for what players, seasons and divisions are called. Read only."""

from __future__ import annotations

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.models import User
from games.leagues.access import LeagueAccess
from games.leagues.models import Division, Season

register = template.Library()


@register.simple_tag
def player_name(person: User, access: LeagueAccess | None = None, name: str = "") -> SafeString | str:
    """What somebody is called here, leading to his page. No way leads to whom the reader may not find there:
    who has closed his account, and a private league's people for who came by its link alone."""
    called = name or person.shown_name
    is_hidden = access is not None and access.league.is_private and not access.is_person
    if is_hidden or person.deleted_at is not None:
        return called
    return format_html('<a href="{}">{}</a>', reverse("player", args=[person.pk]), called)


@register.simple_tag
def season_name(season: Season) -> str:
    """A season with its league."""
    return _("%(league)s, season %(number)d") % {"league": season.league, "number": season.number}


@register.simple_tag
def division_name(division: Division) -> str:
    """A division by its letter; the only one of a season needs none."""
    if division.season.most_divisions == 1:
        return _("Standing")
    return _("Division %(letter)s") % {"letter": division.letter}
