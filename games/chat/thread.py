"""Contents of a channel for pages and emails: its readers, messages and times. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from accounts.names import FORMER_PLAYER
from games.chat.access import Reader, allows_private_chat, may_be_opened, still_in, why_never_opened
from games.chat.forms import MessageForm
from games.chat.links import channel_path, chat_path, choice_path, message_path, watched_channel_path
from games.chat.models import Channel, Message, newest_messages
from games.chat.system_messages import SystemMessage, system_messages_in
from games.models import Table
from games.narration.cast import and_list

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
    silent = reader.why_silent(channel) if reader.is_in(channel) else ""
    return Thread(
        reader.table,
        channel,
        channel_title(channel, reader),
        readers_text(channel, reader),
        page or page_of(channel, reader),
        lines_of(channel, reader, shown, read_before),
        shown[0].number if len(newest) > MOST_ON_A_PAGE else None,
        not before,
        form if form or silent or not reader.is_in(channel) else new_form(channel),
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


def channel_title(channel: Channel, reader: Reader) -> str:
    """Return the channel's title for this reader. A private channel is named after its other people."""
    match Channel.Kind(channel.kind):
        case Channel.Kind.TABLE:
            return _("Public channel")
        case Channel.Kind.EPILOGUE:
            return _("Chat after the game")
    # Translators: names are those of the other players in a private channel.
    return _("Private channel: %(names)s") % {"names": and_list(others_in(channel, reader))}


def others_in(channel: Channel, reader: Reader) -> list[str]:
    """Return the names of a private channel's other people, in the order of their seats."""
    return [*_others_here(channel, reader), *[_(FORMER_PLAYER)] * _gone(channel, reader)]


def _others_here(channel: Channel, reader: Reader) -> list[str]:
    here = still_in(channel, reader.table) - {reader.user_id}
    return [name for user, name in reader.names.items() if user in here]


def _gone(channel: Channel, reader: Reader) -> int:
    """Return how many of the channel's people are no longer at the table."""
    return len(channel.members.all()) - len(still_in(channel, reader.table))


def readers_text(channel: Channel, reader: Reader) -> str:
    """Return a sentence: who reads this channel. It is part of every form and email."""
    if channel.is_private:
        return _private_readers(channel, reader)
    text = _("Everyone at the table can read this channel, including players who join later.")
    return f"{text} {_spectators_text(reader.table)}".rstrip()


def _private_readers(channel: Channel, reader: Reader) -> str:
    if channel.opened_at is not None:
        text = _(
            "The players in this channel made it public after the game: everyone at the table can read it."
        )
        return f"{text} {_spectators_text(reader.table)}".rstrip()
    text = _only_readers(_others_here(channel, reader))
    return f"{text} {_gone_text(channel, reader)}".rstrip()


def _only_readers(others: list[str]) -> str:
    if not others:
        return _("Only you can read this channel.")
    you = pgettext("in a list of players", "you")
    # Translators: names are players, such as "you and Anna" or "you, Anna and Bruno".
    return _("Only %(names)s can read this channel.") % {"names": and_list([you, *others])}


def _gone_text(channel: Channel, reader: Reader) -> str:
    gone = _gone(channel, reader)
    if not gone:
        return ""
    text = ngettext(
        "%(n)d other player has left the table and can no longer read it.",
        "%(n)d other players have left the table and can no longer read it.",
        gone,
    )
    return text % {"n": gone}


def _spectators_text(table: Table) -> str:
    if not table.spectators_read:
        return ""
    match Table.Watch(table.watch):
        case Table.Watch.ANYONE:
            return _("Anyone can watch this table and read it too, even what was written before the game.")
        case Table.Watch.LINK:
            return _("Anyone with the spectator link can read it too, even what was written before the game.")
    return ""


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
    return Channels(rows, _begin_path(reader), beginning)


def _row(channel: Channel, reader: Reader, *, is_here: bool) -> ChannelRow:
    unread = channel.unread if reader.seat is not None and not is_here else 0
    return ChannelRow(channel_title(channel, reader), page_of(channel, reader), unread, is_here)


def _begin_path(reader: Reader) -> str:
    if (
        reader.seat is None
        or not allows_private_chat(reader.table)
        or not set(reader.names) - {reader.user_id}
    ):
        return ""
    return reverse("chat_with", args=[reader.table.pk])


def page_of(channel: Channel, reader: Reader) -> str:
    """Return the channel's page for this reader, by the link that let them in."""
    if reader.by_link and reader.seat is not None:
        return chat_path(reader.seat, channel)
    return watched_channel_path(channel) if reader.is_let_in else channel_path(channel)


@dataclass(frozen=True)
class Opening:
    """The state of opening a private channel to the table after the end."""

    action: str  # where the reader agrees or takes it back
    agreed: str  # a sentence; empty: no one has agreed
    has_agreed: bool  # whether the reader has
    why_never: str  # why it stays closed; empty: it can be opened


def opening_of(channel: Channel, reader: Reader) -> Opening | None:
    """Return the state of opening; None while a game is played, and for readers outside the channel."""
    if not may_be_opened(channel, reader.table) or not reader.is_in(channel):
        return None
    agreed = {member.user_id for member in channel.members.all() if member.opens_at is not None}
    return Opening(
        reverse("channel_open", args=[channel.table_id, channel.slug]),
        _agreed_text(channel, reader, agreed - {reader.user_id}),
        reader.user_id in agreed,
        why_never_opened(channel, reader.table),
    )


def _agreed_text(channel: Channel, reader: Reader, agreed: set[int | None]) -> str:
    here = still_in(channel, reader.table)
    names = [name for user, name in reader.names.items() if user in agreed and user in here]
    if not names:
        return ""
    # Translators: names are one or more players.
    return _("Agreed to make it public: %(names)s.") % {"names": and_list(names)}


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
