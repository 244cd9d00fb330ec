"""Tokens by which programs act for a person: made, found again by what a program sends, and removed.

A token has 256 random bits, so a plain hash of it is enough.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import UTC, timedelta

from accounts import clock
from accounts.full_disk import optional_write
from accounts.models import ApiToken, User

MOST_TOKENS, MOST_TOKENS_OF_A_BOT = 20, 5  # of one person, and of one of their bots
PREFIX = "condottiere_"  # so that scanners of published code recognize one


def make_token(user: User, name: str, scopes: Iterable[str], days: int | None) -> tuple[ApiToken, str]:
    """Make a token that lasts this many days, or until it's removed; return its row, and the token itself."""
    text = PREFIX + secrets.token_urlsafe(32)
    now = clock.now()
    token = ApiToken.objects.create(
        user=user,
        name=name,
        digest=_digest(text),
        ending=text[-4:],
        scopes=list(scopes),
        since=now,
        expires_at=None if days is None else now + timedelta(days=days),
    )
    return token, text


def token_of(text: str) -> ApiToken | None:
    """Return the token that a program sent, with its owner; None if it doesn't work or no longer works."""
    if not text.startswith(PREFIX):
        return None
    open_ones = ApiToken.objects.exclude(user__owner__is_active=False).filter(user__is_active=True)
    found = open_ones.select_related("user").filter(digest=_digest(text)).first()
    return None if found is None or found.is_expired else found


def note_use(token: ApiToken) -> None:
    """Note that a token is in use: the day is enough for its owner, and one write a day."""
    today = clock.now().astimezone(UTC).date()
    if token.used_on != today:
        with optional_write("the day on which a token was used"):
            ApiToken.objects.filter(pk=token.pk).update(used_on=today)


def remove_token(user: User, number: str) -> bool:
    """Remove the user's own token with this number; return False if there is none."""
    if not (number.isascii() and number.isdecimal() and len(number) <= 18):
        return False
    return bool(user.api_tokens.filter(pk=int(number)).delete()[0])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
