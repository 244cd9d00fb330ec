"""This site's own addresses: a mailbox with signed numbers, such as bounces+1f-k7qx2mpdk7qx2mpd@example.org.

An address is signed, not encrypted: anyone who has it can read its numbers. Nothing secret may be put inside.
"""

import base64
import hmac
import re
from datetime import UTC, datetime, timedelta

from django.utils.crypto import salted_hmac

from accounts import clock
from accounts.addresses import normal_address

_SIGNED_BYTES = 10
_TAG = re.compile(r"((?:[0-9a-z]{1,13}-)+)([a-z2-7]{16})")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
_HOUR = timedelta(hours=1)


class NotOurs(ValueError):
    """The address is not one of this site's, or no longer."""


def tagged(mailbox: str, purpose: str, *numbers: int, dated: bool = False) -> str:
    """Return the mailbox's address for these numbers, in lower case because servers may change the case.

    `dated` lets it expire.
    """
    hours = [max(0, (clock.now() - _EPOCH) // _HOUR)] if dated else []
    name, _at, domain = mailbox.rpartition("@")
    return f"{name}+{tag_of(purpose, *numbers, *hours)}@{domain}"


def numbers_in(
    address: str, mailbox: str, purpose: str, count: int, max_age: timedelta | None = None
) -> list[int]:
    """Return the numbers of the mailbox's address; with `max_age`, only of a dated one that is not older.

    Raises NotOurs.
    """
    name, _at, domain = normal_address(mailbox).rpartition("@")
    given, _at, given_domain = normal_address(address.strip().strip("<>")).rpartition("@")
    if not name or given_domain != domain or not given.startswith(f"{name}+"):
        raise NotOurs("not an address of ours")
    numbers = numbers_of(given.removeprefix(f"{name}+"), purpose)
    if max_age is not None and clock.now() - _EPOCH - numbers.pop() * _HOUR > max_age:
        raise NotOurs("an address that has expired")
    if len(numbers) != count:
        raise NotOurs("not an address of ours")
    return numbers


def tag_of(purpose: str, *numbers: int) -> str:
    """Return these numbers signed, such as 1f-k7qx2mpdk7qx2mpd."""
    body = "-".join(in_base_36(number) for number in numbers)
    return f"{body}-{_signature(purpose, body)}"


def numbers_of(tag: str, purpose: str) -> list[int]:
    """Return the numbers that were signed for this purpose. Raises NotOurs."""
    found = _TAG.fullmatch(tag)
    if found is None:
        raise NotOurs("not an address of ours")
    body = found[1].removesuffix("-")
    if not hmac.compare_digest(_signature(purpose, body), found[2]):
        raise NotOurs("not an address of ours")
    return [int(written, 36) for written in body.split("-")]


def in_base_36(number: int) -> str:
    """Return a number from 0 in base 36."""
    more, digit = divmod(number, len(_DIGITS))
    return (in_base_36(more) if more else "") + _DIGITS[digit]


def _signature(purpose: str, body: str) -> str:
    """Return the truncated HMAC. Each purpose has its own salt, so that no address serves another one."""
    digest = salted_hmac(f"accounts.mail.{purpose}", body, algorithm="sha256").digest()
    return base64.b32encode(digest[:_SIGNED_BYTES]).decode("ascii").lower()
