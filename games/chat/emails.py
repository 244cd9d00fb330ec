"""Emails about messages and about reports."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from accounts.addresses import absolute_url
from accounts.mail.collecting import CHAT, DAILY
from accounts.mail.email_content import Content, own_page
from accounts.mail.email_kinds import email_kind
from accounts.mail.list_names import names_list
from accounts.mail.messages import LINE_LENGTH
from accounts.mail.models import OutgoingEmail
from accounts.mail.subjects import fit_subject, name_in_subject
from accounts.mail.subscriptions import lists_turned_off
from accounts.models import User
from accounts.names import first_in_sentence
from accounts.push.models import Push
from accounts.push.queueing import Notice, push_kind
from accounts.reader_links import own_page_url
from games.chat.access import Reader, is_closed, reader_at
from games.chat.links import channel_path, chat_url, choice_path
from games.chat.models import Channel, ChannelReadMarker, Message, Mute, Report
from games.chat.read_markers import frequency_in
from games.chat.system_messages import DealText
from games.chat.thread import Line, channel_title, lines_of, readers_text
from games.models import Seat, Table

MOST_LINES = 30  # of one channel in one email
# Characters of HTML: of all chat in one email, because mail programs cut longer ones; and of the markup
# around each message.
ROOM = 24_000
AROUND = 400
MOST_WHOLE = 8  # channels whose messages one email shows; for others it gives the number of messages
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
class Chat:
    """What one email shows of one channel."""

    channel: Channel
    title: str
    readers: str
    lines: tuple[EmailLine, ...]
    left_out: int
    link: str
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
    def page(self) -> str:
        return own_page_url(self.reader, channel_path(self.channel))

    @property
    def choice(self) -> str:
        """Return the link where the reader chooses when emails of this channel come."""
        return own_page_url(self.reader, choice_path(self.channel))

    @property
    def list_id(self) -> str:
        """Return the list that the reader can unsubscribe from: emails of all chat at the table."""
        return f"chat-{self.table.pk}"


@email_kind("message", name=gettext_lazy("Chat of a game"))
def message(email: OutgoingEmail) -> Content | None:
    """Build the email about new messages in one channel, with a link to answer."""
    email.refresh_from_db(fields=["context"])
    chats = chats_of(email)
    if not chats:
        return None
    chat = chats[0]
    thread = f"chat-{chat.table.pk}-{chat.channel.slug}".rstrip("-")
    name = _name_of_list(chat.table.pk)
    context = {"table": chat.table, "chat": chat, "subject": subject_of(chat)}
    return Content(CHAT, context, thread, chat.list_id, name)


@push_kind(Push.Kind.MESSAGE)
def message_notification(push: Push) -> Notice | None:
    """Build the notification about one message, unless it was read or may no longer be."""
    person, pk, number = push.subscription.user, push.context["channel"], push.context["number"]
    found = next(_unsent({str(pk): [number]}, person), None)
    if (
        found is None
        or ChannelReadMarker.objects.filter(channel=pk, user=person, last_read__gte=number).exists()
    ):
        return None
    channel, reader, unsent = found
    subject = fit_subject(subject_of(_chat(channel, reader, unsent, ROOM)))
    return Notice(subject, channel_path(channel), f"chat-{channel.pk}")


@names_list("chat")
def _name_of_list(number: int) -> str:
    name = Table.objects.filter(pk=number).values_list("name", flat=True).first() or ""
    # Translators: a kind of emails; table is a game's name
    return _("All chat: %(table)s") % {"table": name}


@email_kind("daily", name=gettext_lazy("The day’s chat"))
def daily(email: OutgoingEmail) -> Content | None:
    """Build the daily email about new messages, for readers who chose one a day.

    It covers every channel that has this choice.
    """
    email.refresh_from_db(fields=["context"])
    return daily_content(email, days_chats(email))


@names_list(DAILY)
def _name_of_daily(_number: int = 0) -> str:
    return _("The day’s chat")


@names_list("reports")
def _name_of_reports(_number: int = 0) -> str:
    return pgettext("kind of email", "Reports")


def daily_content(email: OutgoingEmail, chats: Sequence[Chat]) -> Content | None:
    """Build the daily email for a day when no game needs the reader, or they want no such news."""
    if not chats:
        return None
    context = {
        "chats": chats,
        "subject": subject_of_all(chats),
        "preferences": own_page(email, "email_preferences"),
    }
    return Content(DAILY, context, f"{DAILY}-{email.to_user_id}", DAILY, _name_of_daily())


def days_chats(email: OutgoingEmail, room: int = ROOM) -> list[Chat]:
    """Return the chat for a daily email, without tables whose chat emails are turned off."""
    assert email.to_user is not None
    off = lists_turned_off(email.to_user.email)
    return [] if DAILY in off else [chat for chat in chats_of(email, room) if chat.list_id not in off]


def chats_of(email: OutgoingEmail, room: int = ROOM) -> list[Chat]:
    """Return the chat for this email by channel, as far as the reader may read it now and wants to."""
    named, person = email.context.get("chat", {}), email.to_user
    if person is None or not named:
        return []
    wanted = frequency_in(named, person)
    kept = {channel: named[channel] for channel in named if wanted[channel] != User.ChatEmails.NEVER}
    found = list(_unsent(kept, person))
    share = room // max(1, min(len(found), MOST_WHOLE))
    return [
        _chat(channel, reader, unsent, share if place < MOST_WHOLE else 0)
        for place, (channel, reader, unsent) in enumerate(found)
    ]


def _unsent(named: dict[str, list[int]], person: User) -> Iterator[tuple[Channel, Reader, list[Message]]]:
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


def _chat(channel: Channel, reader: Reader, unsent: list[Message], room: int) -> Chat:
    assert reader.seat is not None
    shown = _newest_that_fit(unsent, room)
    return Chat(
        channel,
        channel_title(channel, reader),
        readers_text(channel, reader),
        tuple(map(EmailLine, lines_of(channel, reader, shown))),
        len(unsent) - len(shown),
        chat_url(reader.seat, channel),
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


def subject_of(chat: Chat) -> str:
    """Return the subject: what waits for an answer, or else who wrote, where, and if it is private."""
    deals = [one.line.name for one in chat.lines if one.accept]
    if deals:
        words = {"name": _marked(deals[-1]), "table": _marked(chat.table.name)}
        # Translators: the subject of an email; name is a player's, table a game's
        return _("%(name)s proposes a deal: %(table)s") % words
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


def _marked(name: str) -> str:
    return name_in_subject(first_in_sentence(name))


def subject_of_all(chats: Sequence[Chat]) -> str:
    """Return the subject for several channels, which names only the tables."""
    if len(chats) == 1:
        return subject_of(chats[0])
    tables = list(dict.fromkeys(chat.table.name for chat in chats))
    if len(tables) > 1:
        text = ngettext("New messages in %(n)d game", "New messages in %(n)d games", len(tables))
        return text % {"n": len(tables)}
    # Translators: the subject of an email; table is a game's name
    return _("New messages: %(table)s") % {"table": _marked(tables[0])}


# Emails about reports, to operators and reporters. They quote no message: its text stays on the site.


@email_kind("reported", name=gettext_lazy("Someone reported a message"))
def reported(email: OutgoingEmail) -> Content | None:
    """Build the email that tells an operator of a reported message and where to decide about it."""
    found = _report(email)
    operator = email.to_user
    if found is None or found.state != Report.State.OPEN or operator is None or not operator.is_staff:
        return None
    table = found.message.channel.table
    if Seat.objects.filter(table=table, user=operator).exists():
        return None
    page = own_page_url(operator, f"{reverse('operator_reports')}#report-{found.pk}")
    context = {"table": table, "report": found, "page": page}
    return Content("reported", context, f"report-{found.pk}", "reports", _name_of_reports())


@email_kind("report_decided", name=gettext_lazy("Your report was decided"))
def report_decided(email: OutgoingEmail) -> Content | None:
    """Build the email that tells the reporter what an operator did."""
    found = _report(email)
    if found is None or found.state == Report.State.OPEN:
        return None
    context = {
        "table": found.message.channel.table,
        "at": found.at,
        "has_acted": found.state == Report.State.ACTED,
        "decision": found.decision_text,
    }
    return Content("report_decided", context, f"report-{found.pk}-decided")


def _report(email: OutgoingEmail) -> Report | None:
    return Report.objects.select_related("message__channel__table").filter(pk=email.context["report"]).first()
