"""Template tag for the sign-in page: why somebody was led there. Knows addresses, never what is there."""

from __future__ import annotations

from urllib.parse import urlsplit

from django import template
from django.urls import Resolver404, resolve
from django.utils.translation import gettext as _

register = template.Library()


@register.simple_tag
def what_waits(address: str | None) -> str:
    """What one signs in for, by the address to which one goes on; the same whether or not there is such."""
    try:
        name = str(resolve(urlsplit(address or "").path).url_name)
    except (Resolver404, ValueError):  # ValueError: no address at all
        return ""
    if name == "game" or name.startswith("game_"):
        return _("Sign in to see this game.")
    if name == "table" or name.startswith(("table_", "talk")):
        return _("Sign in to see this table.")
    if name.startswith("practice"):
        return _("Sign in to keep this game.")
    return ""
