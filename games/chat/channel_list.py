"""The list of a reader's channels at a table, with unread counts."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse

from games.chat.access import Reader
from games.chat.channel_text import channel_title
from games.chat.links import channel_path, chat_path, watched_channel_path
from games.chat.models import Channel
from games.chat.writing import allows_private_chat


@dataclass(frozen=True)
class ChannelRow:
    """One channel in the list of a reader's channels."""

    title: str
    page: str
    unread: int
    is_here: bool = False


@dataclass(frozen=True)
class Channels:
    """The channels a reader has at a table, and where they begin another."""

    rows: tuple[ChannelRow, ...]
    begin: str  # an address; empty: they can't begin a private channel
    is_beginning: bool = False  # the reader is on that page

    def __bool__(self) -> bool:
        """Return whether there is any link to show."""
        return bool(self.begin) or any(not row.is_here for row in self.rows)


def channels_of(
    reader: Reader, here: Channel | None = None, *, exclude: Channel | None = None, beginning: bool = False
) -> Channels:
    """Return all the reader's channels with their unread counts, except the channel `exclude`."""
    shown = [channel for channel in reader.channels if exclude is None or channel.slug != exclude.slug]
    slug = here.slug if here is not None else None
    rows = tuple(_row(channel, reader, is_here=channel.slug == slug) for channel in shown)
    return Channels(rows, path_to_begin(reader), beginning)


def channels_with_news(reader: Reader) -> tuple[ChannelRow, ...]:
    """Return the channels with messages new to the reader, except the public one in use."""
    others = (channel for channel in reader.channels if channel is not reader.main_channel)
    return tuple(_row(channel, reader, is_here=False) for channel in others if channel.unread)


def _row(channel: Channel, reader: Reader, *, is_here: bool) -> ChannelRow:
    unread = channel.unread if reader.seat is not None and not is_here else 0
    return ChannelRow(channel_title(channel, reader), channel_page(channel, reader), unread, is_here)


def path_to_begin(reader: Reader) -> str:
    """Return the path of the page on which the reader begins a private channel; empty if they can't."""
    if (
        reader.seat is None
        or not allows_private_chat(reader.table)
        or not set(reader.names) - {reader.user_id}
    ):
        return ""
    return reverse("chat_with", args=[reader.table.pk])


def channel_page(channel: Channel, reader: Reader) -> str:
    """Return the channel's page for this reader, by the link that let them in."""
    if reader.by_link and reader.seat is not None:
        return chat_path(reader.seat, channel)
    return watched_channel_path(channel) if reader.is_let_in else channel_path(channel)
