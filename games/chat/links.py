"""Signed links in emails, each to one channel or one deal for one person at the table."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.urls import reverse

from accounts import tokens
from accounts.addresses import absolute_url
from accounts.mail.own_addresses import in_base_36, tagged
from games.chat.models import Channel, Deal
from games.links import BadLink
from games.models import Seat

CHAT_LINK_AGE = timedelta(days=120)
CHAT_REPLIES = "chat-replies"  # what the addresses of replies are signed for

_CHAT, _DEAL = "chat", "deal"


def chat_token(seat: Seat, slug: str = "") -> str:
    """Return a token that names the person, the seat and the channel.

    It opens nothing once that person has left the seat.
    """
    assert seat.user_id is not None  # emails go to people
    return tokens.sign(_CHAT, seat.pk, seat.user_id, slug, dated=True)


def read_chat_token(token: str) -> tuple[int, int, str]:
    """Return a token's seat number, person's number and channel slug. Raises BadLink."""
    try:
        seat, user, slug = tokens.read(_CHAT, token, CHAT_LINK_AGE)
        return tokens.decode(seat), tokens.decode(user), slug
    except (tokens.BadToken, ValueError) as error:
        raise BadLink from error


def chat_path(seat: Seat, channel: Channel) -> str:
    """Return the link where this seat's person reads and writes in one channel without signing in."""
    return reverse("chat_answer", args=[chat_token(seat, channel.slug)])


def chat_url(seat: Seat, channel: Channel) -> str:
    return absolute_url(chat_path(seat, channel))


def chat_reply_address(seat: Seat, channel: Channel) -> str:
    """Return the address that this person's reply to an email about a channel goes to.

    It is empty if the site reads no replies, and takes nothing once that person has left the seat. It names
    the channel by its slug, because numbers would reveal how many channels there are.
    """
    if not settings.REPLY_ADDRESS:
        return ""
    assert seat.user_id is not None  # emails go to people
    slug = int(channel.slug or "0", 36)  # a slug has letters and digits, and none begins with 0
    return tagged(settings.REPLY_ADDRESS, CHAT_REPLIES, seat.pk, seat.user_id, slug, dated=True)


def slug_in_address(number: int) -> str:
    """Return the slug of a channel that an address for replies names."""
    return in_base_36(number) if number else ""


def chat_thread(channel: Channel) -> str:
    """Return the thread of the emails about a channel, by which mail programs group them."""
    return f"chat-{channel.table_id}-{channel.slug}".rstrip("-")


def deal_path(seat: Seat, deal: Deal) -> str:
    """Return the link where this seat's person reads and answers one deal without signing in."""
    assert seat.user_id is not None  # emails go to people
    token = tokens.sign(_DEAL, deal.pk, seat.pk, seat.user_id, dated=True)
    return reverse("deal_by_link", args=[token])


def read_deal_token(token: str) -> tuple[int, int, int]:
    """Return a token's numbers of the deal, the seat and its person. Raises BadLink."""
    try:
        deal, seat, user = tokens.read_numbers(_DEAL, token, 3, CHAT_LINK_AGE)
    except tokens.BadToken as error:
        raise BadLink from error
    return deal, seat, user


def watched_channel_path(channel: Channel) -> str:
    """Return the channel's page for visitors with the table's spectator link."""
    if not channel.slug:
        return reverse("watch_chat", args=[channel.table.watch_key])
    return reverse("watch_channel", args=[channel.table.watch_key, channel.slug])


def channel_path(channel: Channel) -> str:
    """Return the address of the channel's own page."""
    if not channel.slug:
        return reverse("chat", args=[channel.table_id])
    return reverse("channel", args=[channel.table_id, channel.slug])


def message_path(channel: Channel, number: int) -> str:
    """Return the page where players report a message or mute its author."""
    if not channel.slug:
        return reverse("message", args=[channel.table_id, number])
    return reverse("channel_message", args=[channel.table_id, channel.slug, number])


def choice_path(channel: Channel) -> str:
    """Return the page where a player chooses when emails of this channel come."""
    if not channel.slug:
        return reverse("chat_emails", args=[channel.table_id])
    return reverse("channel_emails", args=[channel.table_id, channel.slug])
