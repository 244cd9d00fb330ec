"""What a page or letter shows of a circle: who reads it, who said what and when. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.names import FORMER_PLAYER
from games.chat.access import Reader, allows_private_talk, may_be_opened, still_in, why_never_opened
from games.chat.forms import MessageForm
from games.chat.links import channel_path, chat_path, message_path, watched_channel_path
from games.chat.models import Channel, Message, newest_messages
from games.chat.system_messages import SystemMessage, system_messages_in
from games.models import Table
from games.narration.moves import and_list

MOST_ON_A_PAGE = 20


@dataclass(frozen=True)
class Line:
    """One message with the name its reader knows the writer by."""

    message: Message
    name: str
    is_mine: bool
    is_new: bool = False  # came since its reader's last visit
    said: SystemMessage | None = None  # what the table says; None: its author's own words
    is_muted: bool = False  # its reader does not want to read its author's words
    about: str = ""  # where its reader reports it, or mutes its author; empty: he cannot


@dataclass(frozen=True)
class Thread:
    """The newest messages of a circle, or those before one of them, the oldest first."""

    table: Table
    circle: Channel
    title: str
    readers: str  # a sentence: who reads what is written here
    page: str  # the address of the circle's own page for this visitor, where he writes too
    lines: tuple[Line, ...]
    earlier: int | None  # messages before this one are left out; None: there are none
    is_newest: bool
    form: MessageForm | None  # None: this visitor cannot write, and has typed nothing
    silent: str = ""  # why nobody writes here now
    opening: Opening | None = None

    @property
    def newest(self) -> int:
        """The number of the last message shown."""
        return self.lines[-1].message.number if self.lines else 0


def thread_of(
    circle: Channel,
    reader: Reader,
    form: MessageForm | None = None,
    before: int = 0,
    *,
    page: str = "",
    read_before: int | None = None,
) -> Thread:
    """The circle as this visitor reads it; `form` is one that was filled in before.

    `page` is the circle's address for who came by a link: he turns the pages by its key. What came after
    `read_before` is marked as new.
    """
    newest = newest_messages(circle, MOST_ON_A_PAGE + 1, before, reader.user.pk if reader.user else None)
    shown = newest[:MOST_ON_A_PAGE][::-1]
    silent = reader.why_silent(circle) if reader.is_in(circle) else ""
    return Thread(
        reader.table,
        circle,
        channel_title(circle, reader),
        readers_told(circle, reader),
        page or page_of(circle, reader),
        lines_of(circle, reader, shown, read_before),
        shown[0].number if len(newest) > MOST_ON_A_PAGE else None,
        not before,
        form if form or silent or not reader.is_in(circle) else new_form(circle),
        silent,
        opening_of(circle, reader),
    )


def lines_of(
    circle: Channel, reader: Reader, messages: Sequence[Message], read_before: int | None = None
) -> tuple[Line, ...]:
    """The messages with names as their reader may see them; who is no longer at the table has none."""
    names = reader.names
    said = system_messages_in(messages, reader, names)
    viewer_id = reader.user.pk if reader.user else None

    def line(message: Message) -> Line:
        is_mine = message.author_id is not None and message.author_id == viewer_id
        is_new = read_before is not None and message.number > read_before
        return Line(
            message,
            _name(message, names, said.get(message.number)),
            is_mine,
            is_new and not is_mine and not message.is_muted,
            said.get(message.number),
            message.is_muted,
            _about(circle, reader, message),
        )

    return tuple(map(line, messages))


def _name(message: Message, names: dict[int | None, str], said: SystemMessage | None) -> str:
    """Who said it, as its reader knows him."""
    if message.kind == Message.Kind.SILENCED or (said is not None and said.is_nobodys):
        return _("The table")
    return names.get(message.author_id, _(FORMER_PLAYER))


def _about(circle: Channel, reader: Reader, message: Message) -> str:
    """Where somebody at the table says what he thinks of another's message."""
    if reader.seat is None or message.author_id in (None, reader.seat.user_id):
        return ""
    return message_path(circle, message.number)


def channel_title(circle: Channel, reader: Reader) -> str:
    """What the circle is called to this reader: of a private one, with whom he talks."""
    match Channel.Kind(circle.kind):
        case Channel.Kind.TABLE:
            return _("Talk at the table")
        case Channel.Kind.EPILOGUE:
            return _("Epilogue")
    names = {"names": and_list(others_in(circle, reader))}
    return _("With %(names)s") % names if reader.is_in(circle) else _("Among %(names)s") % names


def others_in(circle: Channel, reader: Reader) -> list[str]:
    """The names of a private circle's people but the reader, in the order of their seats."""
    return [*_others_here(circle, reader), *[_(FORMER_PLAYER)] * _gone(circle, reader)]


def _others_here(circle: Channel, reader: Reader) -> list[str]:
    here, me = still_in(circle, reader.table), reader.user.pk if reader.user else None
    return [name for user, name in reader.names.items() if user in here and user != me]


def _gone(circle: Channel, reader: Reader) -> int:
    """How many of its people are no longer at the table."""
    return len(circle.members.all()) - len(still_in(circle, reader.table))


def readers_told(circle: Channel, reader: Reader) -> str:
    """Who reads what is written here, in a sentence that stands with every form and every letter."""
    if circle.is_private:
        return _private_readers(circle, reader)
    told = _("Everybody at the table reads what is written here, also whoever sits down later.")
    return f"{told} {_watchers_told(reader.table)}".rstrip()


def _private_readers(circle: Channel, reader: Reader) -> str:
    if circle.opened_at is not None:
        told = _("All who talked here have opened it to the table after the end: everybody there reads it.")
        return f"{told} {_watchers_told(reader.table)}".rstrip()
    names = and_list([*_others_here(circle, reader), _("you")])
    told = _("Only %(names)s read what is written here.") % {"names": names}
    return f"{told} {_gone_told(circle, reader)}".rstrip()


def _gone_told(circle: Channel, reader: Reader) -> str:
    gone = _gone(circle, reader)
    if not gone:
        return ""
    told = ngettext(
        "%(n)d other who talked here has left the table and reads it no more.",
        "%(n)d others who talked here have left the table and read it no more.",
        gone,
    )
    return told % {"n": gone}


def _watchers_told(table: Table) -> str:
    if not table.watchers_read:
        return ""
    match Table.Watch(table.watch):
        case Table.Watch.ANYONE:
            return _(
                "Anyone may watch this table, and whoever does reads it too, also what was written before "
                "the game."
            )
        case Table.Watch.LINK:
            return _("Whoever has the watching link reads it too, also what was written before the game.")
    return ""


@dataclass(frozen=True)
class ChannelRow:
    """One circle in the list of a reader's circles."""

    title: str
    page: str
    unread: int
    is_here: bool = False


@dataclass(frozen=True)
class Channels:
    """The circles that somebody reads at a table, and where he begins another."""

    rows: tuple[ChannelRow, ...]
    begin: str  # an address; empty: he cannot talk with some of the table alone
    is_beginning: bool = False  # he is there

    def __bool__(self) -> bool:
        """Whether there is anywhere to go."""
        return bool(self.begin) or any(not row.is_here for row in self.rows)


def channels_of(
    reader: Reader, here: Channel | None = None, *, beside: Channel | None = None, beginning: bool = False
) -> Channels:
    """All circles that he reads, with what he has not read in each; not the one `beside` the list."""
    shown = [circle for circle in reader.circles if beside is None or circle.slug != beside.slug]
    slug = here.slug if here is not None else None
    rows = tuple(_row(circle, reader, is_here=circle.slug == slug) for circle in shown)
    return Channels(rows, _begin_path(reader), beginning)


def _row(circle: Channel, reader: Reader, *, is_here: bool) -> ChannelRow:
    unread = circle.unread if reader.seat is not None and not is_here else 0
    return ChannelRow(channel_title(circle, reader), page_of(circle, reader), unread, is_here)


def _begin_path(reader: Reader) -> str:
    me = reader.user.pk if reader.user else None
    if reader.seat is None or not allows_private_talk(reader.table) or not set(reader.names) - {me}:
        return ""
    return reverse("talk_with", args=[reader.table.pk])


def page_of(circle: Channel, reader: Reader) -> str:
    """The circle's page for this reader, by the link that let them in."""
    if reader.by_link and reader.seat is not None:
        return chat_path(reader.seat, circle)
    return watched_channel_path(circle) if reader.is_let_in else channel_path(circle)


@dataclass(frozen=True)
class Opening:
    """How a private circle stands that its people may open to the table after the end."""

    action: str  # where its reader says so
    agreed: str  # a sentence; empty: nobody has
    has_agreed: bool  # its reader
    why_never: str  # why it stays closed; empty: it can be opened


def opening_of(circle: Channel, reader: Reader) -> Opening | None:
    """None where there is nothing to open: while it is played, and for who is not in it."""
    if not may_be_opened(circle, reader.table) or not reader.is_in(circle):
        return None
    me = reader.user.pk if reader.user else None
    agreed = {member.user_id for member in circle.members.all() if member.opens_at is not None}
    return Opening(
        reverse("circle_open", args=[circle.table_id, circle.slug]),
        _agreed_told(circle, reader, agreed - {me}),
        me in agreed,
        why_never_opened(circle, reader.table),
    )


def _agreed_told(circle: Channel, reader: Reader, agreed: set[int | None]) -> str:
    here = still_in(circle, reader.table)
    names = [name for user, name in reader.names.items() if user in agreed and user in here]
    if not names:
        return ""
    told = ngettext("%(names)s has agreed to open it.", "%(names)s have agreed to open it.", len(names))
    return told % {"names": and_list(names)}


def chat_version(circle: Channel, reader: Reader, circles: Channels) -> str:
    """From what an open page of this circle is made, as one short word: while it stays, nothing is new."""
    shown = circle.newest, circles, reader.why_silent(circle), opening_of(circle, reader)
    return blake2b(repr(shown).encode(), digest_size=9).hexdigest()


def new_form(circle: Channel, back: str = "", text: str = "") -> MessageForm:
    """A form that knows what had been said when it was shown; empty but for `text`."""
    initial = {"text": text, "after": circle.newest, "back": back}
    return MessageForm(initial=initial, is_private=circle.is_private)
