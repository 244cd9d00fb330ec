"""What one email shows of the chat: new messages by channel, as far as their reader may read them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.addresses import absolute_url
from accounts.characters import shortened
from accounts.mail.collecting import DAILY
from accounts.mail.messages import LINE_LENGTH
from accounts.mail.models import OutgoingEmail
from accounts.mail.subjects import name_in_subject
from accounts.mail.subscriptions import lists_turned_off
from accounts.models import User
from accounts.names import first_in_sentence
from accounts.reader_links import own_page_url
from games.chat.access import Reader, reader_at
from games.chat.channel_text import channel_title, readers_text
from games.chat.links import chat_reply_address, chat_url, choice_path
from games.chat.models import Channel, Message, Mute
from games.chat.read_markers import frequency_in
from games.chat.system_messages.deal_event_text import DealText
from games.chat.thread import Line, lines_of
from games.chat.writing import is_closed
from games.models import Table

MOST_LINES = 30  # of one channel in one email
# Characters of HTML: of all chat in one email, because mail programs cut longer ones; and of the markup
# around each message.
ROOM = 24_000
AROUND = 400
MOST_WHOLE = 8  # channels whose messages one email shows; for others it gives the number of messages
LONGEST_BEGINNING = 150  # characters that a list of emails shows
MARK = "| "  # before system messages: every line that people write is indented


@dataclass(frozen=True)
class EmailLine:
    """One message as emails show it."""

    line: Line

    @property
    def says(self) -> str:
        """Return the text of a system message; empty for a player's own words."""
        return self.line.system.sentence if self.line.system else ""

    @property
    def says_text(self) -> str:
        """Return the system message for plain-text emails. Its mark is on no other kind of line."""
        folded = [textwrap.wrap(line, LINE_LENGTH - len(MARK)) or [""] for line in self.says.splitlines()]
        return "\n".join(f"{MARK}{part}".rstrip() for parts in folded for part in parts)

    @property
    def accept(self) -> str:
        """Return the link that accepts the deal proposed here; empty if none waits for the reader."""
        return absolute_url(self._deal.accept) if self._deal else ""

    @property
    def decline(self) -> str:
        """Return the link that declines the deal."""
        return absolute_url(self._deal.decline) if self._deal else ""

    @property
    def _deal(self) -> DealText | None:
        value = self.line.system.value if self.line.system else None
        return value if isinstance(value, DealText) and value.accept else None

    @property
    def text(self) -> str:
        """Return the author's words, indented so that they can't pass for the email's own."""
        return "\n".join(f"    {line}".rstrip() for line in self.line.message.text.splitlines())


@dataclass(frozen=True)
class ChannelNews:
    """What one email shows of one channel."""

    channel: Channel
    title: str
    readers: str
    lines: tuple[EmailLine, ...]
    left_out: int
    link: str
    reply_to: str  # empty if the site reads no replies
    may_write: bool  # the reader, now; otherwise a reply is answered with the reason
    names: tuple[str, ...]  # of the people at the table
    reader: User

    @property
    def table(self) -> Table:
        return self.channel.table

    @property
    def heading(self) -> str:
        """Return the table and the channel with a rule below them, for plain-text emails."""
        text = f"{self.table.name} · {self.title}"
        return f"{text}\n{'-' * min(len(text), LINE_LENGTH)}"

    @property
    def beginning(self) -> str:
        """Return how the first message begins; empty if the email shows none."""
        first = self.lines[0] if self.lines else None
        return shortened(first.says or first.line.message.text, LONGEST_BEGINNING) if first else ""

    @property
    def own_words(self) -> tuple[str, ...]:
        """Return what people wrote, which a reply may say as well."""
        return tuple(one.line.message.text for one in self.lines)

    @property
    def choice(self) -> str:
        """Return the link where the reader chooses when emails of this channel come."""
        return own_page_url(self.reader, choice_path(self.channel))

    @property
    def list_id(self) -> str:
        """Return the list that the reader can unsubscribe from: emails of all chat at the table."""
        return f"chat-{self.table.pk}"


def days_chats(email: OutgoingEmail, room: int = ROOM) -> list[ChannelNews]:
    """Return the chat for a daily email, without tables whose chat emails are turned off."""
    assert email.to_user is not None
    off = lists_turned_off(email.to_user.email)
    return [] if DAILY in off else [chat for chat in chats_of(email, room) if chat.list_id not in off]


def chats_of(email: OutgoingEmail, room: int = ROOM) -> list[ChannelNews]:
    """Return the chat for this email by channel, as far as the reader may read it now and wants to."""
    named, person = email.context.get("chat", {}), email.to_user
    if person is None or not named:
        return []
    wanted = frequency_in(named, person)
    kept = {channel: named[channel] for channel in named if wanted[channel] != User.ChatEmails.NEVER}
    found = list(unsent_messages(kept, person))
    share = room // max(1, min(len(found), MOST_WHOLE))
    return [
        news_of(channel, reader, unsent, share if place < MOST_WHOLE else 0)
        for place, (channel, reader, unsent) in enumerate(found)
    ]


def unsent_messages(
    named: dict[str, list[int]], person: User
) -> Iterator[tuple[Channel, Reader, list[Message]]]:
    """Yield the listed messages in the channels that this person can read now, grouped by table."""
    tables = Table.objects.filter(channels__in=list(map(int, named))).distinct().order_by("pk")
    for table in tables:
        reader = replace(reader_at(table, person), by_link=True)
        if reader.seat is None or is_closed(table):
            continue
        muted = set(Mute.objects.filter(table=table, by=person).values_list("whom_id", flat=True))
        for channel in reader.channels:
            numbers = named.get(str(channel.pk), [])
            messages = Message.objects.filter(channel=channel.pk, number__in=numbers).order_by("number")
            unsent = [one for one in messages if one.author_id not in muted] if numbers else []
            if unsent:
                yield channel, reader, unsent


def news_of(channel: Channel, reader: Reader, unsent: list[Message], room: int) -> ChannelNews:
    assert reader.seat is not None
    shown = _newest_that_fit(unsent, room)
    return ChannelNews(
        channel,
        channel_title(channel, reader),
        readers_text(channel, reader),
        tuple(map(EmailLine, lines_of(channel, reader, shown))),
        len(unsent) - len(shown),
        chat_url(reader.seat, channel),
        chat_reply_address(reader.seat, channel),
        reader.may_write(channel),
        tuple(reader.names.values()),
        reader.seat.person,
    )


def _newest_that_fit(unsent: list[Message], room: int) -> list[Message]:
    """Return the newest messages that fit. The last one is included if there is any room at all."""
    fitting = list[Message]()
    for one in reversed(unsent[-MOST_LINES:] if room else []):
        room -= len(one.html) + AROUND
        if fitting and room < 0:
            break
        fitting.insert(0, one)
    return fitting


def subject_of(chat: ChannelNews) -> str:
    """Return the subject: what waits for an answer, or the last event, or else who wrote and where."""
    deals = [one.line.name for one in chat.lines if one.accept]
    if deals:
        words = {"name": _marked(deals[-1]), "table": _marked(chat.table.name)}
        # Translators: the subject of an email; name is a player's, table a game's
        return _("%(name)s proposes a deal: %(table)s") % words
    if said := next(filter(None, (_event_subject(one.line) for one in reversed(chat.lines))), None):
        line, text = said
        return text % {"name": _marked(line.name), "table": _marked(chat.table.name)}
    spoken = [one.line for one in chat.lines if not one.says or one.line.message.author_id is not None]
    writers = list(dict.fromkeys(line.name for line in spoken))
    words = {"names": _marked(", ".join(writers)), "table": _marked(chat.table.name)}
    if not writers:
        # Translators: the subject of an email; table is a game's name
        return _("Chat news: %(table)s") % words
    if chat.channel.is_private:
        # Translators: the subject of an email; names are players', table is a game's name
        return _("Private chat (%(names)s): %(table)s") % words
    if chat.channel.is_epilogue:
        # Translators: the subject of an email about the chat after a game; names are players', table a game's
        return _("After the game (%(names)s): %(table)s") % words
    # Translators: the subject of an email; names are players', table is a game's name
    return _("Chat (%(names)s): %(table)s") % words


def _event_subject(line: Line) -> tuple[Line, str] | None:
    """Return what happened in this line, which is more than words, with what the subject says of it."""
    kind, event = line.message.kind, re.sub(r" \d+$", "", line.message.event)
    text = _EVENTS.get((kind, event if kind == Message.Kind.DEAL else ""))
    return (line, str(text)) if text else None


# Translators: these are subjects of emails; name is a player's, table a game's.
_EVENTS: dict[tuple[str, str], Promise] = {
    (Message.Kind.DEAL, "proposed"): gettext_lazy("%(name)s proposed a deal: %(table)s"),
    (Message.Kind.DEAL, "accepted"): gettext_lazy("%(name)s accepted a deal: %(table)s"),
    (Message.Kind.DEAL, "stands"): gettext_lazy("A deal is in force: %(table)s"),
    (Message.Kind.DEAL, "declined"): gettext_lazy("%(name)s declined a deal: %(table)s"),
    (Message.Kind.DEAL, "withdrawn"): gettext_lazy("%(name)s withdrew a deal: %(table)s"),
    (Message.Kind.DEAL, "lapsed"): gettext_lazy("A deal was not accepted in time: %(table)s"),
    (Message.Kind.DEAL, "says kept"): gettext_lazy("%(name)s says a deal was kept: %(table)s"),
    (Message.Kind.DEAL, "says broken"): gettext_lazy("%(name)s says a deal was broken: %(table)s"),
    (Message.Kind.DEAL, "kept"): gettext_lazy("A promise was kept: %(table)s"),
    (Message.Kind.DEAL, "broken"): gettext_lazy("A promise was broken: %(table)s"),
    (Message.Kind.DEAL, "void"): gettext_lazy("A promise was neither kept nor broken: %(table)s"),
    (Message.Kind.SHOWN, ""): gettext_lazy("%(name)s showed cards: %(table)s"),
    (Message.Kind.SEALED, ""): gettext_lazy("%(name)s sealed a note: %(table)s"),
    (Message.Kind.OPENED, ""): gettext_lazy("A sealed note was opened: %(table)s"),
}


def _marked(name: str) -> str:
    return name_in_subject(first_in_sentence(name))


def subject_of_all(chats: Sequence[ChannelNews]) -> str:
    """Return the subject for several channels, which names only the tables."""
    if len(chats) == 1:
        return subject_of(chats[0])
    tables = list(dict.fromkeys(chat.table.name for chat in chats))
    if len(tables) > 1:
        text = ngettext("New messages in %(n)d game", "New messages in %(n)d games", len(tables))
        return text % {"n": len(tables)}
    # Translators: the subject of an email; table is a game's name
    return _("New messages: %(table)s") % {"table": _marked(tables[0])}
