"""Write messages, begin and open channels, and put messages into emails."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock
from accounts.mail.collecting import CHAT, DAILY, WAITING, collecting_email, is_open
from accounts.mail.models import OutgoingEmail
from accounts.mail.send_times import next_digest
from accounts.models import User
from accounts.push.models import Push
from accounts.push.queueing import notify
from accounts.rate_limits import hit
from games.chat.access import ban_of, may_be_opened, public_slug, why_banned, why_never_opened, why_silent
from games.chat.models import (
    EPILOGUE,
    Channel,
    ChannelReadMarker,
    Member,
    Message,
    Mute,
    new_slug,
    people_key,
)
from games.chat.read_markers import frequencies_of_all, frequency_in, mark_read
from games.chat.text import rendered
from games.models import Seat, Table
from games.services import Refused


@dataclass(frozen=True)
class _Collector:
    """The email that collects messages for a reader: its kind, key prefix and send time."""

    kind: str
    key_prefix: str
    due: datetime


def notify_others(message: Message) -> None:
    """Add this message to the emails of all other readers who want it, in the order of their numbers."""
    now, channel = clock.now(), message.channel
    readers = [one for one in _recipients(message) if one.pk != message.author_id]
    wanted = frequencies_of_all(channel, readers)
    for reader in readers:
        collector = _collector(channel.pk, reader, wanted[reader.pk], now, now)
        email = _collect(collector, reader, str(channel.pk), [message.number]) if collector else None
        notify(
            Push.Kind.MESSAGE,
            reader,
            key=f"message:{message.pk}",
            email_key=email.key if email and email.kind == CHAT else "",  # others are about turns too
            context={"channel": channel.pk, "number": message.number},
        )


def readers_of(channel: Channel) -> Iterable[User]:
    """Return the people at the table who read this channel and can be emailed; no spectators."""
    seats = Seat.objects.filter(table=channel.table_id, user__is_active=True).select_related("user")
    if channel.is_private:
        seats = seats.filter(user__in=channel.members.values("user"))
    return [seat.person for seat in seats.order_by("user")]


def _recipients(message: Message) -> list[User]:
    """Return the channel's readers, except those who mute the author at this table."""
    mutes = Mute.objects.filter(table=message.channel.table_id, whom=message.author_id)
    muting = set(mutes.values_list("by_id", flat=True)) if message.author_id else set()
    return [reader for reader in readers_of(message.channel) if reader.pk not in muting]


def regroup_chat_emails(user: User, now: datetime, **_: object) -> None:
    """Move messages that wait in emails after the user changed their preferences.

    An email that was tried already is still retried. Messages for which they now want no email stay in place.
    They are left out when that email is built.
    """
    emails = OutgoingEmail.objects.select_for_update(of=("self",)).filter(
        to_user=user, kind__in=(CHAT, DAILY, WAITING), state=OutgoingEmail.State.QUEUED, attempts=0
    )
    # Go one by one: a message may have moved from one email into the next.
    for pk in list(emails.order_by("pk").values_list("pk", flat=True)):
        email = emails.filter(pk=pk).first()
        if email is not None and is_open(email):
            _regroup(email, user, now)


def _regroup(email: OutgoingEmail, user: User, now: datetime) -> None:
    """Move this email's messages to the emails where they belong now."""
    chat = email.context.get("chat", {})
    wanted = frequency_in(chat, user)
    for channel, numbers in list(chat.items()):
        collector = _collector(int(channel), user, wanted[channel], email.created_at, now)
        if collector is not None and collector.kind != email.kind:
            del chat[channel]
            _collect(collector, user, channel, numbers)
        elif collector is not None and email.kind != WAITING:
            email.not_before = collector.due
    if email.kind != WAITING and not chat:
        email.delete()
    else:
        email.save(update_fields=["context", "not_before"])


def _collector(channel: int, reader: User, wanted: str, since: datetime, now: datetime) -> _Collector | None:
    """Return the email for messages in this channel since then; None if the reader wants none."""
    match wanted:
        case User.ChatEmails.AT_ONCE:
            return _own_email(channel, reader, max(now, since + settings.CHAT_HOLD))
        case User.ChatEmails.BATCHED:
            return _own_email(channel, reader, max(now, since + timedelta(minutes=reader.batch_minutes)))
        case User.ChatEmails.DIGEST:
            kind = WAITING if reader.frequency == User.Frequency.DIGEST else DAILY
            return _Collector(kind, f"{kind}:{reader.pk}:", next_digest(reader, now))
    return None


def _own_email(channel: int, reader: User, due: datetime) -> _Collector:
    return _Collector(CHAT, f"chat:{channel}:{reader.pk}:", due)


def _collect(collector: _Collector, reader: User, channel: str, numbers: Iterable[int]) -> OutgoingEmail:
    email = collecting_email(
        collector.kind, to=reader, key_prefix=collector.key_prefix, context={"chat": {}}, due=collector.due
    )
    chat = email.context.setdefault("chat", {})
    chat[channel] = sorted({*chat.get(channel, ()), *numbers})
    email.save(update_fields=["context"])
    return email


# Adding messages to a channel: all kinds of message go through here


def locked_table(table_id: int) -> Table:
    """Lock the table's row until the transaction ends, so that messages are added one at a time.

    Callers that also need the game's row must lock it first.
    """
    return Table.objects.select_for_update().get(pk=table_id)


def require_voice(channel: Channel, seat: Seat, table: Table, *, in_words: bool = True) -> None:
    """Raise Refused, with the reason, if this seat's person may not write here now.

    Banned people have no words, but they can show cards and answer deals.
    """
    if not table.seats.filter(pk=seat.pk, user=seat.user_id).exists():
        raise Refused(_("You no longer have a seat at this table."))
    ban = ban_of(seat.user, table) if in_words else None
    silent = why_silent(channel, table) or why_banned(ban)
    if silent:
        raise Refused(silent)


def add(channel: Channel, *, has_read: bool = True, **said: Any) -> Message:
    """Add a message to its channel and email its readers; requires the table's lock.

    `has_read` means the author was shown the earlier messages. It is false if the site posts later on the
    author's behalf.
    """
    channel = stored(channel)
    Channel.objects.filter(pk=channel.pk).update(newest=channel.newest + 1)
    message = Message.objects.create(channel=channel, number=channel.newest + 1, **said)
    channel.newest = message.number
    author = said.get("author")
    if author is not None and has_read:
        mark_read(channel, author, message.number)
    _mark_read_for_muting(message)
    notify_others(message)
    return message


def _mark_read_for_muting(message: Message) -> None:
    """Mark the message as read for people who mute the author and had read everything before it."""
    if message.author_id is None or message.kind != Message.Kind.WORDS:
        return
    mutes = Mute.objects.filter(table=message.channel.table_id, whom=message.author_id)
    if message.channel.is_private:
        mutes = mutes.filter(by__in=message.channel.members.values("user"))
    for mute in mutes.select_related("by"):
        marker = ChannelReadMarker.objects.filter(channel=message.channel, user=mute.by).first()
        if (marker.last_read if marker else 0) == message.number - 1:
            mark_read(message.channel, mute.by, message.number)


def stored(channel: Channel) -> Channel:
    """Return the channel's row. A public channel's row is created with its first message."""
    if channel._state.adding:
        channel, _made = Channel.objects.get_or_create(
            table=channel.table, slug=channel.slug, defaults={"kind": channel.kind}
        )
    else:
        channel = Channel.objects.select_related("table").get(pk=channel.pk)
    return channel


# Opening a private channel to its table after the end: all its people must agree


@transaction.atomic
def agree_to_open(channel: Channel, seat: Seat) -> bool:
    """Agree, for this seat's person, to open the channel; return whether it is open now.

    An open channel stays open, because all have agreed. Raises Refused while a game is played, and if someone
    can no longer be asked.
    """
    channel, mine = _locked(channel, seat)
    if channel.opened_at is not None:
        return True
    _require_openable(channel)
    now = clock.now()
    channel.members.filter(pk=mine.pk, opens_at__isnull=True).update(opens_at=now)
    if channel.members.filter(opens_at__isnull=True).exists():
        return False
    Channel.objects.filter(pk=channel.pk).update(opened_at=now)
    return True


@transaction.atomic
def keep_closed(channel: Channel, seat: Seat) -> None:
    """Take back this person's agreement. Raises Refused once the channel is open."""
    channel, mine = _locked(channel, seat)
    if channel.opened_at is not None:
        raise Refused(_("This channel is already public, because everyone in it agreed."))
    channel.members.filter(pk=mine.pk).update(opens_at=None)


def _locked(channel: Channel, seat: Seat) -> tuple[Channel, Member]:
    """Return the current channel, locked until the transaction ends, and the person's membership."""
    table = locked_table(channel.table_id)
    channel = Channel.objects.get(pk=channel.pk)
    channel.table = table
    mine = channel.members.filter(user=seat.user_id, user__isnull=False).first()
    if mine is None or not table.seats.filter(pk=seat.pk, user=seat.user_id).exists():
        raise Refused(_("Only players in this channel can make it public."))
    return channel, mine


def _require_openable(channel: Channel) -> None:
    if not may_be_opened(channel, channel.table):
        raise Refused(_("You can make a private channel public when the game is over."))
    never = why_never_opened(channel, channel.table)
    if never:
        raise Refused(never)


MOST_A_DAY = 100
WHILE = timedelta(minutes=10)
MOST_IN_A_WHILE = 20
MOST_CHANNELS = 60  # private ones of one person at a table: with five other players, 31 are possible


class TooMany(Refused):
    """The person has written enough, today or for a while."""

    status = 429


@transaction.atomic
def write(seat: Seat, text: str, after: int | None = None, channel: Channel | None = None) -> Message:
    """Write a cleaned text to a channel, by default the public one, and email the others.

    `after` is the number of the channel's last message when the form was shown. The same text again from the
    same form is a second click and returns the first message. Raises Refused if the person may not write
    there, and TooMany.
    """
    table = locked_table(seat.table_id)
    channel = _as_stored_now(channel) if channel else whole_table(table)
    require_voice(channel, seat, table)
    author = seat.person
    if after is not None and channel.pk:
        own = Message.objects.filter(channel=channel, author=author, number__gt=after, text=text)
        twice = own.select_related("channel").first()
        if twice is not None:
            return twice
    require_pace(author, table)
    count_message(author)
    return add(channel, author=author, text=text, html=rendered(text))


def require_pace(author: User, table: Table) -> None:
    """Raise TooMany if the author writes faster at this table than people can read."""
    now = clock.now()
    lately = Message.objects.filter(author=author, channel__table=table, written_at__gt=now - WHILE)
    times = list(lately.order_by("-written_at").values_list("written_at", flat=True)[:MOST_IN_A_WHILE])
    if len(times) == MOST_IN_A_WHILE:
        minutes = max(1, math.ceil((times[-1] + WHILE - now) / timedelta(minutes=1)))
        said = ngettext(
            "You have reached this table's limit for messages within ten minutes (%(most)d). "
            "Keep your text, and send it in %(minutes)d minute.",
            "You have reached this table's limit for messages within ten minutes (%(most)d). "
            "Keep your text, and send it in %(minutes)d minutes.",
            minutes,
        )
        raise TooMany(said % {"most": MOST_IN_A_WHILE, "minutes": minutes})


def count_message(author: User) -> None:
    """Count one of the messages that a person may write per day. Raises TooMany."""
    if not hit("message", str(author.pk), MOST_A_DAY):
        said = _("You have reached the daily limit for messages (%(most)d). Write again tomorrow.")
        raise TooMany(said % {"most": MOST_A_DAY})


def _as_stored_now(channel: Channel) -> Channel:
    """Return the stored channel: it may have been stored since its page was read."""
    if channel.pk:
        return channel
    return Channel.objects.filter(table=channel.table, slug=channel.slug).first() or channel


def whole_table(table: Table) -> Channel:
    """Return the public channel in use now. It is not stored before its first message."""
    slug = public_slug(table)
    kind = Channel.Kind.EPILOGUE if slug == EPILOGUE else Channel.Kind.TABLE
    return Channel.objects.filter(table=table, slug=slug).first() or Channel(
        table=table, kind=kind, slug=slug
    )


@transaction.atomic
def begin_channel(
    seat: Seat, others: Iterable[Seat], why_not: Callable[[Channel, Table], str] = why_silent
) -> Channel:
    """Return the private channel of this seat's person with the people of other seats.

    An existing channel is used again. Raises Refused if there is no one else, for a seat without a person,
    and if `why_not` gives a reason. By default, that is when the settings allow no such chat.
    """
    table = locked_table(seat.table_id)
    people = _people(seat, others)
    kept = Channel.objects.filter(
        table=table, people_key=people_key(people), kind=Channel.Kind.PRIVATE
    ).first()
    if kept is not None:
        return kept
    channel = Channel(table=table, kind=Channel.Kind.PRIVATE, slug=new_slug(), people_key=people_key(people))
    silent = why_not(channel, table)
    if silent:
        raise Refused(silent)
    if Member.objects.filter(channel__table=table, user=seat.user_id).count() >= MOST_CHANNELS:
        said = _(
            "You have reached the limit for private channels at this table (%(most)d). Use one of yours."
        )
        raise Refused(said % {"most": MOST_CHANNELS})
    channel.save()
    Member.objects.bulk_create([Member(channel=channel, user=person) for person in people])
    return channel


def _people(seat: Seat, others: Iterable[Seat]) -> list[User]:
    """Return the channel's people in seat order, so that the order of rows reveals nothing."""
    seats = {one.number: one for one in (seat, *others)}
    if len(seats) < 2:
        raise Refused(_("Choose at least one other player to chat with."))
    for one in seats.values():
        if one.table_id != seat.table_id or one.user is None:
            raise Refused(_("You can only chat with players at this table, not with bots."))
    return [seats[number].person for number in sorted(seats)]


@transaction.atomic
def choose_emails(channel: Channel, user: User, emails: str) -> None:
    """Choose when emails of this channel come, also for messages that wait; "" means as for all chat."""
    channel = stored(channel)
    ChannelReadMarker.objects.update_or_create(channel=channel, user=user, defaults={"emails": emails})
    regroup_chat_emails(user, clock.now())
