"""The interface for programs: the channels of a table, and what is written there."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Schema
from pydantic import Field

from accounts.api_access import CHAT, READ
from accounts.api_problems import ApiProblem
from games.chat.access import Reader, get_channel_of, get_seated_reader
from games.chat.channel_text import channel_title, readers_text
from games.chat.forms.message_forms import MessageForm
from games.chat.models import Channel, newest_messages
from games.chat.models.messages import TAKEN_OUT
from games.chat.services import write
from games.chat.thread import Line, lines_of
from games.services import Refused

MOST_MESSAGES = 100
TABLE = "table"  # stands for the channel of the whole table, whose own slug is empty
Number = Annotated[int, Field(ge=0, le=2**31 - 1)]

router = Router(tags=["chat"])


class ChannelSeen(Schema):
    """A channel. `newest` is the number of its last message; each channel has its own numbers."""

    slug: str
    title: str
    readers: str
    is_private: bool
    newest: int
    unread: int
    may_write: bool


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
    channel, reader = _channel_of(request, table_id, slug)
    shown = newest_messages(channel, MOST_MESSAGES, before, reader.user_id)[::-1]
    return [_message(line) for line in lines_of(channel, reader, shown) if not line.is_muted]


@router.post(
    "/tables/{number:table_id}/channels/{slug:slug}/messages",
    auth=CHAT,
    response=ChannelSeen,
    summary="Write a message",
)
def write_message(request: HttpRequest, table_id: int, slug: str, sent: MessageIn) -> ChannelSeen:
    """Write a message in a channel. The same text after the same message again is written once."""
    channel, reader = _channel_of(request, table_id, slug)
    if reader.seat is None or not reader.is_writer(channel):
        raise Http404
    form = MessageForm({"text": sent.text, "after": sent.after}, is_private=channel.is_private)
    if not form.is_valid():
        errors = [
            {"field": name, "detail": str(text)} for name, texts in form.errors.items() for text in texts
        ]
        raise ApiProblem(422, "bad-input", _("The message was not written."), errors)
    try:
        write(reader.seat, form.cleaned_data["text"], form.cleaned_data["after"], channel)
    except Refused as refused:
        code = "too-many" if refused.status == 429 else "refused"
        raise ApiProblem(refused.status, code, str(refused)) from refused
    return _channel(*_channel_of(request, table_id, slug))


def _channel_of(request: HttpRequest, table_id: int, slug: str) -> tuple[Channel, Reader]:
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
    )


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
    text = line.message.text
    return _(text) if text == TAKEN_OUT else text
