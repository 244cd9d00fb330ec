"""Received mail: which of this site's own addresses it was sent to, and who takes it.

It comes from a mail server by LMTP or a pipe, from a mailbox, or from the operator's page of captured emails.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from email import message_from_bytes
from email.message import Message
from email.utils import getaddresses

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from accounts.mail.own_addresses import NotOurs, numbers_in

MOST_READ = 512 * 1024  # bytes; what people and mail servers write comes first, pictures and quotes after it
# Where mail servers say whom a message was sent to; "To" comes last, because its sender wrote it.
_RECIPIENT_HEADERS = ("Delivered-To", "X-Original-To", "Envelope-To", "X-Delivered-To", "To", "Cc")

Taker = Callable[[list[int], Message], None]


class Unreadable(ValueError):
    """The source is not an email message."""


@dataclass(frozen=True)
class Inbox:
    """One kind of own address: the setting with its mailbox, how many numbers, and who takes its mail."""

    setting: str
    count: int
    max_age: timedelta | None
    take: Taker


INBOXES: dict[str, Inbox] = {}


def inbox(
    purpose: str, *, setting: str, count: int, max_age: timedelta | None = None
) -> Callable[[Taker], Taker]:
    """Register the decorated function: it takes the messages to the addresses made for this purpose.

    It is called with the numbers in the address, and with the message. The same message may come again.
    """

    def register(take: Taker) -> Taker:
        if purpose in INBOXES:
            raise ImproperlyConfigured(f"Two functions take the mail for {purpose!r}. Rename one purpose.")
        INBOXES[purpose] = Inbox(setting, count, max_age, take)
        return take

    return register


def is_configured() -> bool:
    """Return whether any mail can come to this site."""
    return any(getattr(settings, one.setting) for one in INBOXES.values())


def receive(recipient: str, source: bytes) -> None:
    """Process one message sent to `recipient`; safe to repeat.

    Raises NotOurs if the address is not one of this site's, Unreadable if the source is not a message.
    """
    taker, numbers = _inbox_of(recipient)
    taker.take(numbers, _message(source[:MOST_READ]))


def require_ours(address: str) -> None:
    """Raise NotOurs unless mail to this address is taken."""
    _inbox_of(address)


def recipient_in_headers(source: bytes) -> str:
    """Return the own address that the message's headers name; raises NotOurs if they name none."""
    headers = message_from_bytes(source[:MOST_READ].replace(b"\r\n", b"\n").partition(b"\n\n")[0])
    for name in _RECIPIENT_HEADERS:
        for _name, address in getaddresses([str(value) for value in headers.get_all(name, [])]):
            if _is_ours(address):
                return address
    raise NotOurs("no recipient of ours")


def _is_ours(address: str) -> bool:
    try:
        require_ours(address)
    except NotOurs:
        return False
    return True


def _inbox_of(address: str) -> tuple[Inbox, list[int]]:
    for purpose, one in INBOXES.items():
        mailbox = getattr(settings, one.setting)
        try:
            return one, numbers_in(address, mailbox, purpose, one.count, one.max_age)
        except NotOurs:
            continue
    raise NotOurs("not an address of ours")


def _message(source: bytes) -> Message:
    try:
        message = message_from_bytes(source)
    except (RecursionError, ValueError, LookupError) as error:  # too deeply nested, or a malformed part
        raise Unreadable("a message that cannot be read") from error
    if not message.keys():
        raise Unreadable("no message")
    return message
