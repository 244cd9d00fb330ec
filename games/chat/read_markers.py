"""Read markers: how far people have read in channels, and when they want emails about them.

Each row is private to its person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from accounts.models import User
from games.chat.models import Channel, ChannelReadMarker


def has_news(channel: Channel, number: int | None = None) -> bool:
    """Return whether its reader has not read up to this message, or to the newest one."""
    newest = channel.newest if number is None else number
    return channel.pk is not None and newest > (channel.last_read or 0)


def mark_read(channel: Channel, user: User, number: int, *, is_first: bool = False) -> None:
    """Record that this person has read up to this message; never move back.

    The row belongs to the reader, so a GET may write it. `is_first`: they had none when the channel was read.
    """
    if not has_news(channel, number):
        return
    behind = ChannelReadMarker.objects.filter(channel=channel, user=user, last_read__lt=number)
    if is_first or not behind.update(last_read=number):
        ChannelReadMarker.objects.bulk_create(
            [ChannelReadMarker(channel=channel, user=user, last_read=number)], ignore_conflicts=True
        )


def unread_at(tables: Collection[int], user: User) -> Counter[int]:
    """Return the number of unread messages at each of these tables, by table number.

    Only tables where the person plays are counted.
    """
    unread: Counter[int] = Counter()
    channels = Channel.objects.only("table", "newest")
    for channel in channels.readable_by(user).with_last_read(user).filter(table__in=tables):
        unread[channel.table_id] += channel.unread
    return unread


def frequencies_of_all(channel: Channel, people: Collection[User]) -> dict[int, str]:
    """Return when these people want emails of this channel, by their numbers: accounts.User.ChatEmails."""
    rows = ChannelReadMarker.objects.filter(channel=channel, user__in=people).values_list("user_id", "emails")
    chosen = dict(rows)
    return {user.pk: chosen.get(user.pk) or user.chat_emails for user in people}


def frequency_in(channels: Collection[str], user: User) -> dict[str, str]:
    """Return when this person wants emails of several channels, by channel number.

    The numbers are text, because JSON keys are.
    """
    wanted = [int(channel) for channel in channels]
    rows = ChannelReadMarker.objects.filter(channel__in=wanted, user=user).values_list("channel_id", "emails")
    chosen = {str(channel): emails for channel, emails in rows}
    return {channel: chosen.get(channel) or user.chat_emails for channel in channels}


def chosen_emails(channel: Channel, user: User) -> str:
    """Return what this person chose for this channel; empty: as for all chat."""
    if channel._state.adding:
        return ""
    rows = ChannelReadMarker.objects.filter(channel=channel, user=user)
    return rows.values_list("emails", flat=True).first() or ""
