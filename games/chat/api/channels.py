"""The interface for programs: the channels of a table, and what is written there."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Schema
from pydantic import Field

from accounts.api_access import ANYONE, CHAT, NO_TOKEN_NEEDED, READ
from accounts.api_problems import ApiProblem, field_errors
from games.chat.access import Reader, get_channel_of, get_seated_reader, get_spectator
from games.chat.channel_text import channel_title, readers_text
from games.chat.forms.message_forms import ChannelForm, MessageForm
from games.chat.models import Channel, newest_messages
from games.chat.models.messages import TAKEN_OUT
from games.chat.openings import opening_of
from games.chat.read_markers import mark_read
from games.chat.services import agree_to_open, begin_and_write, keep_closed, write
from games.chat.thread import Line, lines_of

MOST_MESSAGES = 100
TABLE = "table"  # stands for the channel of the whole table, whose own slug is empty
Number = Annotated[int, Field(ge=0, le=2**31 - 1)]
Seat = Annotated[int, Field(ge=0, le=5)]

router = Router(tags=["chat"])


class OpeningSeen(Schema):
    """A private channel that its people may make public after the end. `agreed` says who has agreed."""

    agreed: str
    has_agreed: bool
    why_never: str


class ChannelSeen(Schema):
    """A channel. `newest` is the number of its last message; each channel has its own numbers."""

    slug: str
    title: str
    readers: str
    is_private: bool
    newest: int
    unread: int
    may_write: bool
    opening: OpeningSeen | None


class MessageSeen(Schema):
    """A message. `kind` is words for what its author wrote; the site vouches for all other kinds.

    The text is as it was written, with its Markdown.
    """

    number: int
    kind: str
    author: str
    is_yours: bool
    text: str
    written_at: datetime


class MessageIn(Schema, extra="forbid"):
    """A message. `after` is the number of the last message that was read; then a repeat is written once."""

    text: str
    after: Number


class NewChannel(Schema, extra="forbid"):
    """The first message of a private channel, and the seats of the others. A channel with them is used again.

    `after` is the number of the last message that was read there; then a repeat is written once.
    """

    seats: Annotated[list[Seat], Field(min_length=1, max_length=6)]
    text: str
    after: Number = 0


class ChannelRead(Schema, extra="forbid"):
    """The number of the last message of a channel that the person has read."""

    number: Number


class OpeningIn(Schema, extra="forbid"):
    """Whether the person agrees to make a private channel public after the end."""

    agrees: bool


@router.get(
    "/tables/{number:table_id}/channels", auth=READ, response=list[ChannelSeen], summary="Your channels"
)
def channels(request: HttpRequest, table_id: int) -> list[ChannelSeen]:
    """Return the channels at a table that the person may read, that of the table first."""
    reader = get_seated_reader(request, table_id)
    return [_channel(channel, reader) for channel in reader.channels]


@router.get(
    "/tables/{number:table_id}/channels/{slug:slug}/messages",
    auth=READ,
    response=list[MessageSeen],
    summary="The messages of a channel",
)
def messages(request: HttpRequest, table_id: int, slug: str, before: Number = 0) -> list[MessageSeen]:
    """Return the last messages of a channel, at most 100, or those before one; oldest first."""
    return messages_of(*channel_of(request, table_id, slug), before)


@router.post(
    "/tables/{number:table_id}/channels/{slug:slug}/messages",
    auth=CHAT,
    response=ChannelSeen,
    summary="Write a message",
)
def write_message(request: HttpRequest, table_id: int, slug: str, sent: MessageIn) -> ChannelSeen:
    """Write a message in a channel. The same text after the same message again is written once."""
    channel, reader = channel_of(request, table_id, slug)
    if reader.seat is None or not reader.is_writer(channel):
        raise Http404
    form = MessageForm({"text": sent.text, "after": sent.after}, is_private=channel.is_private)
    if not form.is_valid():
        raise ApiProblem(422, "bad-input", _("The message was not written."), field_errors(form))
    write(reader.seat, form.cleaned_data["text"], form.cleaned_data["after"], channel)
    return _channel(*channel_of(request, table_id, slug))


@router.post(
    "/tables/{number:table_id}/channels/{slug:slug}/read",
    auth=CHAT,
    response=ChannelSeen,
    summary="Mark a channel as read",
)
def read(request: HttpRequest, table_id: int, slug: str, sent: ChannelRead) -> ChannelSeen:
    """Mark messages as read up to this one, on the pages too. It never goes back."""
    channel, reader = channel_of(request, table_id, slug)
    assert reader.user is not None
    mark_read(channel, reader.user, min(sent.number, channel.newest))
    return _channel(*channel_of(request, table_id, slug))


@router.post(
    "/tables/{number:table_id}/channels", auth=CHAT, response=ChannelSeen, summary="Begin a private channel"
)
def begin(request: HttpRequest, table_id: int, sent: NewChannel) -> ChannelSeen:
    """Write to some of the players. Only they and you can read the channel."""
    reader = get_seated_reader(request, table_id)
    assert reader.seat is not None
    form = ChannelForm({"seats": [str(seat) for seat in sent.seats], "text": sent.text}, others=reader.others)
    if not form.is_valid():
        raise ApiProblem(422, "bad-input", _("The message was not written."), field_errors(form))
    chosen = reader.seats_chosen(form.cleaned_data["seats"])
    channel = begin_and_write(reader.seat, chosen, form.cleaned_data["text"], sent.after)
    return _channel(*channel_of(request, table_id, channel.slug))


@router.post(
    "/tables/{number:table_id}/channels/{slug:slug}/opening",
    auth=CHAT,
    response=ChannelSeen,
    summary="Agree to make a private channel public",
)
def open_channel(request: HttpRequest, table_id: int, slug: str, sent: OpeningIn) -> ChannelSeen:
    """Agree after the end to make a channel public, or take it back. It is once all its people agree."""
    channel, reader = channel_of(request, table_id, slug)
    if reader.seat is None or not (channel.is_private and reader.is_in(channel)):
        raise Http404
    if sent.agrees:
        agree_to_open(channel, reader.seat)
    else:
        keep_closed(channel, reader.seat)
    return _channel(*channel_of(request, table_id, slug))


@router.get(
    "/watch/{slug:key}/channels",
    auth=ANYONE,
    response=list[ChannelSeen],
    summary="The channels that spectators read",
    openapi_extra=NO_TOKEN_NEEDED,
)
def watched_channels(request: HttpRequest, key: str) -> list[ChannelSeen]:
    """Return the channels that the table opens to spectators; none where it keeps its chat to itself."""
    reader = get_spectator(key)
    return [_channel(channel, reader) for channel in reader.channels]


@router.get(
    "/watch/{slug:key}/channels/{slug:slug}/messages",
    auth=ANYONE,
    response=list[MessageSeen],
    summary="The messages of a channel that spectators read",
    openapi_extra=NO_TOKEN_NEEDED,
)
def watched_messages(request: HttpRequest, key: str, slug: str, before: Number = 0) -> list[MessageSeen]:
    """Return the last messages of a channel, at most 100, or those before one; oldest first."""
    reader = get_spectator(key)
    channel = reader.channel("" if slug == TABLE else slug)
    if channel is None:
        raise Http404
    return messages_of(channel, reader, before)


def channel_of(request: HttpRequest, table_id: int, slug: str) -> tuple[Channel, Reader]:
    """Return a channel at the person's own table, and the person as its reader. Raises Http404."""
    channel, reader = get_channel_of(request, table_id, "" if slug == TABLE else slug)
    if reader.seat is None:
        raise Http404
    return channel, reader


def _channel(channel: Channel, reader: Reader) -> ChannelSeen:
    return ChannelSeen(
        slug=channel.slug or TABLE,
        title=channel_title(channel, reader),
        readers=readers_text(channel, reader),
        is_private=channel.is_private,
        newest=channel.newest,
        unread=channel.unread,
        may_write=reader.may_write(channel),
        opening=_opening(channel, reader),
    )


def _opening(channel: Channel, reader: Reader) -> OpeningSeen | None:
    found = opening_of(channel, reader)
    if found is None:
        return None
    return OpeningSeen(agreed=found.agreed, has_agreed=found.has_agreed, why_never=found.why_never)


def messages_of(channel: Channel, reader: Reader, before: int) -> list[MessageSeen]:
    """Return the last messages of a channel as this reader sees them, or those before one; oldest first."""
    shown = newest_messages(channel, MOST_MESSAGES, before, reader.user_id)[::-1]
    return [_message(line) for line in lines_of(channel, reader, shown) if not line.is_muted]


def _message(line: Line) -> MessageSeen:
    return MessageSeen(
        number=line.message.number,
        kind=line.message.kind,
        author=line.name,
        is_yours=line.is_mine,
        text=_text(line),
        written_at=line.message.written_at,
    )


def _text(line: Line) -> str:
    """Return what was written, or what the site says in its place."""
    if line.system is not None:
        return f"{line.system.sentence} {line.system.words}".strip()
    return in_words(line.message.text)


def in_words(text: str) -> str:
    """Return what someone wrote, or a sentence where an operator took it out."""
    return _(text) if text == TAKEN_OUT else text
