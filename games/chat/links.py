"""Signed links in emails, to one channel or one deal, for one person at the table; each opens that alone."""

from __future__ import annotations

from datetime import timedelta

from django.core import signing
from django.urls import reverse

from accounts.addresses import absolute_url
from games.chat.models import Channel, Deal
from games.links import BadLink
from games.models import Seat

CHAT_LINK_AGE = timedelta(days=120)

_SALT = "condottiere.chat"
_DEAL_SALT = "condottiere.deal"


def chat_token(seat: Seat, slug: str = "") -> str:
    """Names the person, the seat and the channel, so that it opens nothing once he has left."""
    return signing.dumps([seat.pk, seat.user_id, slug], salt=_SALT)


def read_chat_token(token: str) -> tuple[int, int, str]:
    """The seat's and its person's number, and the channel's address. Raises BadLink."""
    try:
        named = signing.loads(token, salt=_SALT, max_age=CHAT_LINK_AGE)
    except (signing.BadSignature, ValueError) as error:
        raise BadLink from error
    if not isinstance(named, list) or len(named) not in (2, 3):
        raise BadLink
    seat, user, *slug = named  # a link of two was made before there were channels
    return seat, user, slug[0] if slug else ""


def chat_path(seat: Seat, channel: Channel) -> str:
    """Where this seat's person reads and writes in one channel, without signing in."""
    return reverse("chat_answer", args=[chat_token(seat, channel.slug)])


def chat_url(seat: Seat, channel: Channel) -> str:
    return absolute_url(chat_path(seat, channel))


def deal_path(seat: Seat, deal: Deal) -> str:
    """Where this seat's person reads one deal and answers it, without signing in."""
    token = signing.dumps([deal.pk, seat.pk, seat.user_id], salt=_DEAL_SALT)
    return reverse("deal_by_link", args=[token])


def read_deal_token(token: str) -> tuple[int, int, int]:
    """The numbers of the deal, the seat and its person. Raises BadLink."""
    try:
        deal, seat, user = signing.loads(token, salt=_DEAL_SALT, max_age=CHAT_LINK_AGE)
    except (signing.BadSignature, ValueError) as error:
        raise BadLink from error
    return deal, seat, user


def watched_channel_path(channel: Channel) -> str:
    """Its page for who has the table's watching link."""
    if not channel.slug:
        return reverse("watch_chat", args=[channel.table.watch_key])
    return reverse("watch_channel", args=[channel.table.watch_key, channel.slug])


def channel_path(channel: Channel) -> str:
    """The channel's own page."""
    if not channel.slug:
        return reverse("chat", args=[channel.table_id])
    return reverse("channel", args=[channel.table_id, channel.slug])


def message_path(channel: Channel, number: int) -> str:
    """Where a message of the channel is reported, and its author muted."""
    if not channel.slug:
        return reverse("message", args=[channel.table_id, number])
    return reverse("channel_message", args=[channel.table_id, channel.slug, number])


def choice_path(channel: Channel) -> str:
    """Where somebody at the table chooses when emails of this channel come."""
    if not channel.slug:
        return reverse("chat_emails", args=[channel.table_id])
    return reverse("channel_emails", args=[channel.table_id, channel.slug])
