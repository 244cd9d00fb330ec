"""The part of a page that shows where a table talks, `{% talk table user %}`, and the link for guests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from accounts.models import User
from games.models import Seat, Table
from games.press.access import Reader, is_over, main_slug, reader_at, seat_at
from games.press.board import board_of, circles_of, new_form
from games.press.ledger import readable_bargains
from games.press.links import circle_path, talk_token
from games.press.models import EPILOGUE

register = template.Library()


@register.inclusion_tag("press/_board.html", takes_context=True)
def talk(context: Context, table: Table, viewer: object, *, watching: bool = False) -> dict[str, Any]:
    """The newest messages of the whole table, the form for who sits there, and his other circles; nothing
    for who may not read.

    `watching` is said by a page that has let a watcher in itself.
    """
    person = viewer if isinstance(viewer, User) else None
    reader = context.get("talk_reader") or replace(reader_at(table, person), is_let_in=watching)
    circle = reader.main_circle
    if circle is None:
        return {"board": None}
    form = new_form(circle, _page(context)) if reader.seat and not reader.why_silent(circle) else None
    read = (circle.read_to or 0) if reader.seat else None
    return {
        "board": board_of(circle, reader, form, read_before=read),
        "circles": circles_of(reader, beside=circle),
        "table": table,
    }


@register.simple_tag
def talk_address(seat: Seat) -> str:
    """Where this person reads and writes on his table's talk without signing in; empty without any."""
    if seat.user_id is None or seat.table.is_practice:
        return ""
    return reverse("talk_answer", args=[talk_token(seat, main_slug(seat.table))])


@register.simple_tag
def promises_made(table: Table, viewer: object) -> SafeString | str:
    """The way to a table's ledger from a page that is open after the end; empty where there is nothing."""
    person = viewer if isinstance(viewer, User) else None
    reader = Reader(table, person, seat_at(table, person), is_let_in=table.watch != Table.Watch.NOBODY)
    made = len(readable_bargains(reader))
    if not made:
        return ""
    name, key = ("ledger", table.pk) if reader.seat else ("watch_ledger", table.watch_key)
    told = ngettext("%(n)d promise", "%(n)d promises", made) % {"n": made}
    return format_html('<a class="button quiet" href="{}">{}</a>', reverse(name, args=[key]), told)


@register.simple_tag
def epilogue_address(table: Table, viewer: object) -> str:
    """Where the table talks when all is played there; empty before, and for who may not read it."""
    if not is_over(table):
        return ""
    circle = reader_at(table, viewer if isinstance(viewer, User) else None).circle(EPILOGUE)
    return circle_path(circle) if circle is not None else ""


@register.simple_tag
def unread_mark(n: int) -> SafeString | str:
    """A small count beside a game or a circle with messages that its player has not read."""
    if not n:
        return ""
    told = ngettext("%(n)d new message", "%(n)d new messages", n) % {"n": n}
    return format_html('<span class="unread">{}</span>', told)


def _page(context: Context) -> str:
    """The name of the page's address, to which one comes back after writing."""
    match = getattr(context.get("request"), "resolver_match", None)
    return str(match.url_name or "") if match else ""
