"""Collects new messages in emails to those who read them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from accounts import clock
from accounts.mail.collecting import CHAT, DAILY, WAITING, collecting_email, is_open
from accounts.mail.models import OutgoingEmail
from accounts.mail.send_times import next_digest
from accounts.models import User
from accounts.push.models import Push
from accounts.push.queueing import notify
from games.chat.models import Channel, Message, Mute
from games.chat.read_markers import frequencies_of_all, frequency_in
from games.models import Seat


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
