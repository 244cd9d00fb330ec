"""Template tags for people's names that lead to their pages. They make no query."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.models import User
from games.links import person_path, player_path
from games.models import Seat, Table
from games.narration.seat_names import seat_name

register = template.Library()


@register.simple_tag
def linked_seat(seat: Seat, name: str = "") -> SafeString | str:
    """Return the name of a seat, as a link to its player's page if there is one that may be named here.

    `name` is what the table calls the seat, if that's known.
    """
    called, path = name or seat_name(seat), player_path(seat)
    return format_html('<a href="{}">{}</a>', path, called) if path else called


@register.simple_tag
def linked_person(person: User, name: str = "") -> SafeString | str:
    """Return a person's name as a link to their page; the plain name if they hide it or have left.

    Only for people whose name the reader may know here: at tables, `linked_seat` decides it.
    """
    called = name or person.shown_name
    if not person.has_page:
        return called
    return format_html('<a href="{}">{}</a>', person_path(person.pk), called)


@register.simple_tag
def linked_host(table: Table) -> SafeString | str:
    """Return the host's name as a link to their page; plain at anonymous tables, and empty for none."""
    if table.host is None:
        return ""
    return table.host.shown_name if table.anonymity else linked_person(table.host)
