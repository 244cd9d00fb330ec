"""The part of a page that shows a table's board, `{% talk table user %}`, and the link for guests."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from accounts.models import User
from games.models import Seat, Table
from games.press.access import is_closed, may_read, seat_at
from games.press.board import board_of, new_form
from games.press.links import talk_token

register = template.Library()


@register.inclusion_tag("press/_board.html", takes_context=True)
def talk(context: Context, table: Table, viewer: object, *, watching: bool = False) -> dict[str, Any]:
    """The newest messages, and the form for who sits at the table; nothing for who may not read them.

    `watching` is said by a page that has let a watcher in itself.
    """
    reader = viewer if isinstance(viewer, User) else None
    seat = seat_at(table, reader)
    if table.is_practice or not (watching or may_read(table, seat)):
        return {"board": None}
    form = (
        new_form(seat, _page(context), after=context.get("my_last_message"))
        if seat and not is_closed(table)
        else None
    )
    page = reverse("watch_talk", args=[table.watch_key]) if watching else ""
    read = context.get("read_before") if seat else None
    return {"board": board_of(table, reader, seat, form, page=page, read_before=read), "mine": seat}


@register.simple_tag
def talk_address(seat: Seat) -> str:
    """Where this person reads and writes on his table's board without signing in; empty without a board."""
    if seat.user_id is None or seat.table.is_practice:
        return ""
    return reverse("talk_answer", args=[talk_token(seat)])


@register.simple_tag
def unread_mark(n: int) -> SafeString | str:
    """A small count beside a game with messages that its player has not read."""
    if not n:
        return ""
    told = ngettext("%(n)d new message", "%(n)d new messages", n) % {"n": n}
    return format_html('<span class="unread">{}</span>', told)


def _page(context: Context) -> str:
    """The name of the page's address, to which one comes back after writing."""
    match = getattr(context.get("request"), "resolver_match", None)
    return str(match.url_name or "") if match else ""
