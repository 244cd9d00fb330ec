"""The messages of a channel as pages and emails show them. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from games.chat.access import Reader
from games.chat.channel_list import Channels, channel_page
from games.chat.channel_text import channel_title, readers_text
from games.chat.forms.message_forms import MessageForm
from games.chat.links import choice_path, message_path
from games.chat.models import Channel, Message, newest_messages
from games.chat.openings import Opening, opening_of
from games.chat.system_messages.rendering import system_messages_in
from games.chat.system_messages.system_message import SystemMessage
from games.models import Table

MOST_ON_A_PAGE = 20


@dataclass(frozen=True)
class Line:
    """One message with its author's name as the reader knows it."""

    message: Message
    name: str
    is_mine: bool
    is_new: bool = False  # came since the reader's last visit
    system: SystemMessage | None = None  # the system message; None for the author's own words
    is_muted: bool = False  # the reader mutes the author
    own_page: str = ""  # where the reader reports it or mutes its author; empty if they can't

    @property
    def author(self) -> str:
        """Return the author's name; readers see which name is their own."""
        # Translators: name is that of the reader
        return _("%(name)s (you)") % {"name": self.name} if self.is_mine else self.name

    @property
    def described(self) -> str:
        """Return which message this is, for links that a screen reader reads without the message."""
        words = {"name": self.name, "number": self.message.number}
        # Translators: number is a message's number in its channel, name its author.
        return _("message %(number)s by %(name)s") % words


@dataclass(frozen=True)
class Thread:
    """The newest messages of a channel, or those before one of them, oldest first."""

    table: Table
    channel: Channel
    title: str
    readers: str  # a sentence: who reads what is written here
    page: str  # the address of the channel's own page for this visitor, where they also write
    lines: tuple[Line, ...]
    earlier: int | None  # messages before this one are left out; None: there are none
    is_newest: bool
    form: MessageForm | None  # None: this visitor can't write, and has typed nothing
    silent: str = ""  # why no one can write here now
    opening: Opening | None = None

    @property
    def emails_page(self) -> str:
        """Return where readers choose when they're emailed about the channel."""
        return choice_path(self.channel)

    @property
    def newest(self) -> int:
        """Return the number of the last message shown."""
        return self.lines[-1].message.number if self.lines else 0


def thread_of(
    channel: Channel,
    reader: Reader,
    form: MessageForm | None = None,
    before: int = 0,
    *,
    page: str = "",
    read_before: int | None = None,
) -> Thread:
    """Return the channel as this visitor reads it; `form` may be one already filled in.

    `page` is the channel's address for visitors with a link, whose key they need to turn pages. Messages
    after `read_before` are marked as new.
    """
    newest = newest_messages(channel, MOST_ON_A_PAGE + 1, before, reader.user_id)
    shown = newest[:MOST_ON_A_PAGE][::-1]
    is_writer = reader.is_writer(channel)
    silent = reader.why_silent(channel) if is_writer else ""
    return Thread(
        reader.table,
        channel,
        channel_title(channel, reader),
        readers_text(channel, reader),
        page or channel_page(channel, reader),
        lines_of(channel, reader, shown, read_before),
        shown[0].number if len(newest) > MOST_ON_A_PAGE else None,
        not before,
        form if form or silent or not is_writer else new_form(channel),
        silent,
        opening_of(channel, reader),
    )


def lines_of(
    channel: Channel, reader: Reader, messages: Sequence[Message], read_before: int | None = None
) -> tuple[Line, ...]:
    """Return the messages with author names as the reader may see them.

    People who have left the table have no name.
    """
    system = system_messages_in(messages, reader)

    def line(message: Message) -> Line:
        is_mine = message.author_id is not None and message.author_id == reader.user_id
        is_new = read_before is not None and message.number > read_before
        return Line(
            message,
            _name(message, reader, system.get(message.number)),
            is_mine,
            is_new and not is_mine and not message.is_muted,
            system.get(message.number),
            message.is_muted,
            _own_page(channel, reader, message),
        )

    return tuple(map(line, messages))


def _name(message: Message, reader: Reader, system: SystemMessage | None) -> str:
    """Return the author's name as the reader knows it."""
    if message.kind == Message.Kind.BANNED or (system is not None and system.is_impersonal):
        return pgettext("author of a message", "The site")
    return reader.name_of(message.author_id)


def _own_page(channel: Channel, reader: Reader, message: Message) -> str:
    """Return where a player reports another's message or mutes its author."""
    if reader.seat is None or message.author_id in (None, reader.seat.user_id):
        return ""
    return message_path(channel, message.number)


def chat_version(channel: Channel, reader: Reader, channels: Channels) -> str:
    """Return a short hash of what an open page of this channel shows.

    It changes when the page has news.
    """
    shown = channel.newest, channels, reader.why_silent(channel), opening_of(channel, reader)
    return blake2b(repr(shown).encode(), digest_size=9).hexdigest()


def new_form(channel: Channel, back: str = "", text: str = "") -> MessageForm:
    """Return a form that knows the newest message when it was shown; empty except for `text`."""
    initial = {"text": text, "after": channel.newest, "back": back}
    return MessageForm(initial=initial, is_private=channel.is_private)
