"""Signed links in emails, each to one channel or one deal for one person at the table."""

from __future__ import annotations

from datetime import timedelta

from django.urls import reverse

from accounts import tokens
from accounts.addresses import absolute_url
from games.chat.models import Channel, Deal
from games.links import BadLink
from games.models import Seat

CHAT_LINK_AGE = timedelta(days=120)

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
