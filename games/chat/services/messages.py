"""Add messages to a channel. Every kind of message goes through here."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock
from accounts.models import User
from accounts.rate_limits import hit
from games.chat.models import Channel, ChannelReadMarker, Message, Mute
from games.chat.read_markers import mark_read
from games.chat.services.channels import as_stored_now, begin_channel, locked_table, public_channel, stored
from games.chat.services.message_emails import notify_others
from games.chat.text import rendered
from games.chat.writing import why_may_not_write
from games.models import Seat, Table
from games.services import Refused

MOST_A_DAY = 100
WHILE = timedelta(minutes=10)
MOST_IN_A_WHILE = 20


def require_may_write(channel: Channel, seat: Seat, table: Table, *, in_words: bool = True) -> None:
    """Raise Refused, with the reason, if this seat's person may not write here now."""
    if why := why_may_not_write(channel, table, seat.user, in_words=in_words):
        raise Refused(why)


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
    channel = as_stored_now(channel) if channel else public_channel(table)
    require_may_write(channel, seat, table)
    author = seat.person
    if after is not None and channel.pk:
        own = Message.objects.filter(channel=channel, author=author, number__gt=after, text=text)
        twice = own.select_related("channel").first()
        if twice is not None:
            return twice
    require_pace(author, table)
    count_message(author)
    return add(channel, author=author, text=text, html=rendered(text))


@transaction.atomic
def begin_and_write(seat: Seat, others: Iterable[Seat], text: str, after: int | None = None) -> Channel:
    """Write the first message of a private channel with these people, or another one if there is one.

    `after` is as for `write`. Raises Refused and TooMany; then there is no new channel.
    """
    channel = begin_channel(seat, others)
    write(seat, text, after, channel)
    return channel


def require_pace(author: User, table: Table) -> None:
    """Raise TooMany if the author writes faster at this table than people can read."""
    now = clock.now()
    lately = Message.objects.filter(author=author, channel__table=table, written_at__gt=now - WHILE)
    times = list(lately.order_by("-written_at").values_list("written_at", flat=True)[:MOST_IN_A_WHILE])
    if len(times) == MOST_IN_A_WHILE:
        minutes = max(1, math.ceil((times[-1] + WHILE - now) / timedelta(minutes=1)))
        said = ngettext(
            "You have reached this table’s limit for messages within ten minutes (%(most)d). "
            "Keep your text, and send it in %(minutes)d minute.",
            "You have reached this table’s limit for messages within ten minutes (%(most)d). "
            "Keep your text, and send it in %(minutes)d minutes.",
            minutes,
        )
        raise TooMany(said % {"most": MOST_IN_A_WHILE, "minutes": minutes})


def count_message(author: User) -> None:
    """Count one of the messages that a person may write per day. Raises TooMany."""
    if not hit("message", str(author.pk), MOST_A_DAY):
        said = _("You have reached the daily limit for messages (%(most)d). Write again tomorrow.")
        raise TooMany(said % {"most": MOST_A_DAY})
