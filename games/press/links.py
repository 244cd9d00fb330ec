"""The signed link to a table's board, in letters: it opens that board alone, for one person at the table."""

from __future__ import annotations

from datetime import timedelta

from django.core import signing
from django.urls import reverse

from accounts.addresses import absolute_url
from games.links import BadLink
from games.models import Seat

TALK_AGE = timedelta(days=120)

_SALT = "condottiere.talk"


def talk_token(seat: Seat) -> str:
    """Names the person and the seat, so that it opens nothing once he has left."""
    return signing.dumps([seat.pk, seat.user_id], salt=_SALT)


def read_talk_token(token: str) -> tuple[int, int]:
    """The seat's and its person's number. Raises BadLink."""
    try:
        numbers = signing.loads(token, salt=_SALT, max_age=TALK_AGE)
    except (signing.BadSignature, ValueError) as error:
        raise BadLink from error
    if not isinstance(numbers, list) or len(numbers) != 2:
        raise BadLink
    return numbers[0], numbers[1]


def talk_url(seat: Seat) -> str:
    return absolute_url(reverse("talk_answer", args=[talk_token(seat)]))
