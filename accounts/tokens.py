"""Short signed tokens for links in emails: numbers, an optional age, and a truncated HMAC.

A token is signed, not encrypted: anyone who has it can read it, so nothing secret may be put inside.
"""

from __future__ import annotations

import re
import time
from datetime import timedelta
from typing import TYPE_CHECKING

from django.core.signing import BadSignature, b62_decode, b62_encode
from django.utils.crypto import constant_time_compare, salted_hmac

if TYPE_CHECKING:
    pass


_SIGNED_CHARACTERS = 17  # 62 ** 17 > 2 ** 101: more than the 96 bits of a truncated HMAC (RFC 2104, 5)
_LONGEST = 100
_FINGERPRINT_CHARACTERS = 5
_EPOCH = 1_767_225_600  # 1 January 2026, UTC
_HOUR = 3600
_PART = re.compile(r"[0-9A-Za-z-]*")
_NUMBER = re.compile(r"[0-9A-Za-z]+")


class BadToken(BadSignature):
    """The token is broken, foreign or expired. The error does not say which."""


def sign(purpose: str, *parts: int | str, dated: bool = False) -> str:
    """Return a token of these numbers and short texts, for one purpose; `dated` lets it expire.

    Texts consist of ASCII letters, digits and hyphens.
    """
    written = [b62_encode(part) if isinstance(part, int) else part for part in parts]
    if not all(_PART.fullmatch(part) for part in written):
        raise ValueError(f"not a part of a token: {parts!r}")
    if dated:
        written.append(b62_encode(max(0, int(time.time()) - _EPOCH) // _HOUR))
    body = ".".join(written)
    return body + _signature(purpose, body)


def read(purpose: str, token: str, max_age: timedelta | None = None) -> list[str]:
    """Return a token's parts as they are written; with `max_age`, only of a dated one that is not older.

    Raises BadToken.
    """
    body, signature = token[:-_SIGNED_CHARACTERS], token[-_SIGNED_CHARACTERS:]
    if len(token) > _LONGEST or not constant_time_compare(signature, _signature(purpose, body)):
        raise BadToken("not a token of this site")
    parts = body.split(".")
    if max_age is not None:
        age = timedelta(seconds=time.time() - _EPOCH) - timedelta(hours=decode(parts.pop()))
        if age > max_age:
            raise BadToken("expired")
    return parts


def read_numbers(purpose: str, token: str, count: int, max_age: timedelta | None = None) -> list[int]:
    """Return a token's parts as numbers. Raises BadToken."""
    numbers = [decode(part) for part in read(purpose, token, max_age)]
    if len(numbers) != count:
        raise BadToken("another count of numbers")
    return numbers


def fingerprint(text: str) -> str:
    """Return a few characters that change with the text, to bind a token to an address without naming it."""
    return _base62(salted_hmac("accounts.tokens.fingerprint", text, algorithm="sha256").digest())[
        :_FINGERPRINT_CHARACTERS
    ]


def decode(written: str) -> int:
    """Return the number of these digits. Raises BadToken."""
    if not _NUMBER.fullmatch(written):
        raise BadToken("not a number")
    return b62_decode(written)


def _signature(purpose: str, body: str) -> str:
    """Return the truncated HMAC. Each purpose has its own salt, so that no token opens anything else."""
    return _base62(salted_hmac(f"condottiere.{purpose}", body, algorithm="sha256").digest())


def _base62(digest: bytes) -> str:
    return b62_encode(int.from_bytes(digest) % 62**_SIGNED_CHARACTERS).rjust(_SIGNED_CHARACTERS, "0")
