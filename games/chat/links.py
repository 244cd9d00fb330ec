"""Signed links in emails, to one circle or one deal, for one person at the table; each opens that alone."""

from __future__ import annotations

from datetime import timedelta

from django.core import signing
from django.urls import reverse

from accounts.addresses import absolute_url
from games.chat.models import Channel, Deal
from games.links import BadLink
from games.models import Seat

CHAT_LINK_AGE = timedelta(days=120)

_SALT = "condottiere.talk"
_DEAL_SALT = "condottiere.deal"


def chat_token(seat: Seat, slug: str = "") -> str:
    """Names the person, the seat and the circle, so that it opens nothing once he has left."""
    return signing.dumps([seat.pk, seat.user_id, slug], salt=_SALT)


def read_chat_token(token: str) -> tuple[int, int, str]:
    """The seat's and its person's number, and the circle's address. Raises BadLink."""
    try:
        named = signing.loads(token, salt=_SALT, max_age=CHAT_LINK_AGE)
    except (signing.BadSignature, ValueError) as error:
        raise BadLink from error
    if not isinstance(named, list) or len(named) not in (2, 3):
        raise BadLink
    seat, user, *slug = named  # a link of two was made before there were circles
    return seat, user, slug[0] if slug else ""


def chat_path(seat: Seat, circle: Channel) -> str:
    """Where this seat's person reads and writes in one circle, without signing in."""
    return reverse("talk_answer", args=[chat_token(seat, circle.slug)])


def chat_url(seat: Seat, circle: Channel) -> str:
    return absolute_url(chat_path(seat, circle))


def deal_path(seat: Seat, deal: Deal) -> str:
    """Where this seat's person reads one deal and answers it, without signing in."""
    token = signing.dumps([deal.pk, seat.pk, seat.user_id], salt=_DEAL_SALT)
    return reverse("deal", args=[token])


def read_deal_token(token: str) -> tuple[int, int, int]:
    """The numbers of the deal, the seat and its person. Raises BadLink."""
    try:
        deal, seat, user = signing.loads(token, salt=_DEAL_SALT, max_age=CHAT_LINK_AGE)
    except (signing.BadSignature, ValueError) as error:
        raise BadLink from error
    return deal, seat, user


def watched_channel_path(circle: Channel) -> str:
    """Its page for who has the table's watching link."""
    if not circle.slug:
        return reverse("watch_talk", args=[circle.table.watch_key])
    return reverse("watch_circle", args=[circle.table.watch_key, circle.slug])


def channel_path(circle: Channel) -> str:
    """The circle's own page."""
    if not circle.slug:
        return reverse("talk", args=[circle.table_id])
    return reverse("circle", args=[circle.table_id, circle.slug])


def message_path(circle: Channel, number: int) -> str:
    """Where a message of the circle is reported, and its author muted."""
    if not circle.slug:
        return reverse("message", args=[circle.table_id, number])
    return reverse("circle_message", args=[circle.table_id, circle.slug, number])


def choice_path(circle: Channel) -> str:
    """Where somebody at the table chooses when letters of this circle come."""
    if not circle.slug:
        return reverse("talk_letters", args=[circle.table_id])
    return reverse("circle_letters", args=[circle.table_id, circle.slug])
