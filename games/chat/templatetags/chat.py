"""Template tags for a table's chat, such as `{% chat table user %}`, and links to it."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from accounts.models import User
from games.chat.access import Reader, reader_at, seat_at
from games.chat.channel_list import channel_page, channels_of, channels_with_news, path_to_begin
from games.chat.links import channel_path, chat_token
from games.chat.models import EPILOGUE
from games.chat.readable_deals import readable_deals
from games.chat.thread import new_form, thread_of
from games.chat.writing import is_over, public_slug
from games.models import Seat, Table

register = template.Library()

MOST_NAMED = 3  # channels with news; a phone's screen has no room for more


@register.inclusion_tag("chat/_thread.html", takes_context=True)
def chat(context: Context, table: Table, viewer: object, *, reader: Reader | None = None) -> dict[str, Any]:
    """Show the newest public messages, a form for players, and the reader's other channels.

    Nothing is shown to visitors who may not read. `reader` is what a page has already found out about them.
    """
    reader = reader or reader_at(table, viewer if isinstance(viewer, User) else None)
    channel = reader.main_channel
    if channel is None:
        return {"thread": None}
    form = new_form(channel, _page(context)) if reader.may_write(channel) else None
    read = (channel.last_read or 0) if reader.seat else None
    return {
        "thread": thread_of(channel, reader, form, read_before=read),
        "channels": channels_of(reader, exclude=channel),
        "table": table,
    }


@register.inclusion_tag("chat/_pending.html")
def chat_pending(reader: Reader | None) -> dict[str, Any]:
    """Show what waits for the player in the chat: deals to answer, private channels with new messages."""
    if reader is None or reader.seat is None:
        return {}
    deals = reader.deals_waiting
    channels, public = channels_with_news(reader), reader.main_channel
    return {
        "deals": deals,
        "channels": channels,
        "table": reader.table,
        "list_page": channel_page(public, reader) if public and len(channels) > MOST_NAMED else "",
    }


@register.inclusion_tag("chat/_send_menu.html")
def send_menu(reader: Reader | None) -> dict[str, Any]:
    """Show all that a player can send at a running table, each with a sentence on what it does."""
    if reader is None or reader.seat is None or reader.table.state != Table.State.PLAYING:
        return {}
    channel = reader.main_channel
    if channel is None:
        return {}
    return {
        "table": reader.table,
        "can_write": reader.may_write(channel),
        "private": path_to_begin(reader),
    }


@register.simple_tag
def chat_address(seat: Seat) -> str:
    """Return the link where this person uses their table's chat without signing in; empty if none."""
    if seat.user_id is None or seat.table.is_practice:
        return ""
    return reverse("chat_answer", args=[chat_token(seat, public_slug(seat.table))])


@register.simple_tag
def promises_made(table: Table, viewer: object) -> SafeString | str:
    """Return a link to a table's deals for pages that stay open after the end; empty without deals."""
    person = viewer if isinstance(viewer, User) else None
    reader = Reader(table, person, seat_at(table, person), is_let_in=table.watch != Table.Watch.NOBODY)
    number = len(readable_deals(reader))
    if not number:
        return ""
    name, key = ("deals", table.pk) if reader.seat else ("watch_deals", table.watch_key)
    label = ngettext("%(n)d deal", "%(n)d deals", number) % {"n": number}
    return format_html('<a class="button quiet" href="{}">{}</a>', reverse(name, args=[key]), label)


@register.simple_tag
def epilogue_address(table: Table, viewer: object) -> str:
    """Return the link to the epilogue; empty before the end, and for visitors who may not read it."""
    if not is_over(table):
        return ""
    channel = reader_at(table, viewer if isinstance(viewer, User) else None).channel(EPILOGUE)
    return channel_path(channel) if channel is not None else ""


@register.simple_tag
def unread_mark(n: int) -> SafeString | str:
    """Return a small count of unread messages, for a game or a channel."""
    if not n:
        return ""
    label = ngettext("%(n)d new message", "%(n)d new messages", n) % {"n": n}
    return format_html('<span class="unread">{}</span>', label)


def _page(context: Context) -> str:
    """Return the name of the page's URL, to return to after writing."""
    match = getattr(context.get("request"), "resolver_match", None)
    return str(match.url_name or "") if match else ""
