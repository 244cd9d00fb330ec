"""Received mail: which of this site's own addresses it was sent to, and who takes it.

It comes from a mail server by LMTP or a pipe, from a mailbox, or from the operator's page of captured emails.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from email import message_from_bytes
from email.message import Message
from email.policy import Compat32
from email.utils import getaddresses
from itertools import islice
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError

from accounts.addresses import normal_address
from accounts.mail.own_addresses import NotOurs, numbers_in

MOST_READ = 512 * 1024  # bytes; what people and mail servers write comes first, pictures and quotes after it
# Python's parser compares each line with each boundary, and the time in which it reads parameters grows with
# the square of their length.
MOST_LINES = 20_000
MOST_BOUNDARIES = 50
LONGEST_PARAMETERS = 1000  # characters of Content-Type and its like
LONGEST_FIELD = 20_000  # characters of any other header field
_MOST_NAMED = 20  # own addresses in the headers of one message
_LONGEST_ADDRESSES = 2000  # characters of a header value that are read as addresses
_BOUNDARY = re.compile(rb"boundary[\s*0-9]*=", re.IGNORECASE)
_LINE_END = re.compile(rb"\r\n?|\n")
# Where mail servers say whom a message was sent to; "To" comes last, because its sender wrote it.
_RECIPIENT_HEADERS = ("Delivered-To", "X-Original-To", "Envelope-To", "X-Delivered-To", "To", "Cc")


class ReceivedMessage(Message):
    """A received message, with the beginning of its source: signatures are of these bytes."""

    source = b""


Taker = Callable[[list[int], ReceivedMessage], None]


class Unreadable(ValueError):
    """A message that cannot be read; the error says why."""


@dataclass(frozen=True)
class Inbox:
    """One kind of own address: the settings with its mailbox, how many numbers, and who takes its mail.

    With no numbers, it is the mailbox's own address, which gets other mail too: `wants` looks at the headers.
    """

    settings: tuple[str, ...]  # the first one that is set counts
    count: int
    max_age: timedelta | None
    take: Taker
    wants: Callable[[Message], bool] | None = None

    @property
    def mailbox(self) -> str:
        """The mailbox's address; empty if none is set."""
        return next(filter(None, (getattr(settings, name) for name in self.settings)), "")


INBOXES: dict[str, Inbox] = {}


def inbox(
    purpose: str,
    *,
    setting: str,
    or_setting: str = "",
    count: int,
    max_age: timedelta | None = None,
    wants: Callable[[Message], bool] | None = None,
) -> Callable[[Taker], Taker]:
    """Register the decorated function: it takes the messages to the addresses made for this purpose.

    It is called with the numbers in the address, and with the message. The same message may come again.
    `setting` names the mailbox; where that is empty, `or_setting` does. A mailbox's own address (`count` 0)
    may be someone's: of the mail to it that is fetched, only what `wants` accepts is taken.
    """

    def register(take: Taker) -> Taker:
        if purpose in INBOXES:
            raise ImproperlyConfigured(f"Two functions take the mail for {purpose!r}. Rename one purpose.")
        INBOXES[purpose] = Inbox(tuple(filter(None, (setting, or_setting))), count, max_age, take, wants)
        return take

    return register


def is_configured() -> bool:
    """Return whether any mail can come to this site."""
    return any(one.mailbox for one in INBOXES.values())


def receive(recipient: str, source: bytes, sender: str | None = None) -> None:
    """Process one message sent to `recipient`; safe to repeat.

    `sender` is that of the envelope, where it is known. The message gets it as its Return-Path, as from any
    mail server that delivers. Raises NotOurs if the address is not one of this site's, Unreadable if the
    message cannot be read.
    """
    one, numbers = _inbox_of(recipient)
    try:
        with reading():
            message = _message(source)
        if sender is not None:
            del message["Return-Path"]
            message["Return-Path"] = f"<{sender.strip('<> ')}>"
        one.take(numbers, message)
    except Unreadable as error:
        if one.count:
            raise
        # Anyone may write there. Set aside, such mail would push out what was sent to signed addresses.
        raise NotOurs("it cannot be read, and was sent to no signed address") from error


def has_null_sender(message: Message) -> bool | None:
    """Return whether a message's envelope names no sender (RFC 5321, 4.5.5); None if it is not known.

    The last mail server writes it into the first Return-Path; Postfix writes MAILER-DAEMON for none.
    """
    path = message["Return-Path"]
    if path is None:
        return None
    written = str(path).strip().lower()
    return written == "<>" or written.strip("<>").partition("@")[0] == "mailer-daemon"


@contextmanager
def reading() -> Iterator[None]:
    """Raise Unreadable for whatever fails inside: what a message does to its reader is the message's fault.

    Malformed mail breaks Python's own parser in many ways. Only what the database says is not its fault.
    """
    try:
        yield
    except (Unreadable, DatabaseError):
        raise
    except Exception as error:  # noqa: BLE001 - any error of a reader
        raise Unreadable(f"it cannot be read ({type(error).__name__})") from None


def require_ours(address: str) -> None:
    """Raise NotOurs unless mail to this address is taken."""
    _inbox_of(address)


def recipient_in_headers(source: bytes) -> str:
    """Return the own address that the message's headers name.

    Raises NotOurs if they name none, Unreadable if they cannot be read.
    """
    with reading():
        headers = _parsed(_LINE_END.sub(b"\n", _beginning_of(source)).partition(b"\n\n")[0])
        values = [str(value) for name in _RECIPIENT_HEADERS for value in headers.get_all(name, [])]
        own = [one.mailbox for one in INBOXES.values() if one.mailbox and one.wants and one.wants(headers)]
        found = (address for value in values for address in _like_ours(value) if _is_ours(address))
        address = next(found, None) or next((one for one in own if _names(values, one)), None)
    if address is None:
        raise NotOurs("no recipient of ours")
    return address


def _names(values: list[str], mailbox: str) -> bool:
    """Return whether one of the header values is to the mailbox's own address."""
    found = getaddresses([value[:_LONGEST_ADDRESSES] for value in values])
    return mailbox in {normal_address(address) for _name, address in found}


def _like_ours(text: str) -> list[str]:
    """Return what begins like an address of ours in the text, up to the end of its domain."""
    mailboxes = {one.mailbox for one in INBOXES.values()} - {""}
    found = list[str]()
    for name, _at, domain in (mailbox.rpartition("@") for mailbox in mailboxes):
        tag = rf"{re.escape(name)}\+[0-9a-z-]{{1,80}}@{re.escape(domain)}(?![\w.-])"
        found += [one[0] for one in islice(re.finditer(tag, text, re.IGNORECASE), _MOST_NAMED)]
    return found


def _is_ours(address: str) -> bool:
    try:
        require_ours(address)
    except NotOurs:
        return False
    return True


def _inbox_of(address: str) -> tuple[Inbox, list[int]]:
    for purpose, one in INBOXES.items():
        try:
            if one.count == 0 and one.mailbox and normal_address(address.strip("<> ")) == one.mailbox:
                return one, []
            return one, numbers_in(address, one.mailbox, purpose, one.count, one.max_age)
        except NotOurs:
            continue
    raise NotOurs("not an address of ours")


def _message(source: bytes) -> ReceivedMessage:
    """Return the beginning of a message, parsed. Raises Unreadable."""
    beginning = _beginning_of(source)
    boundaries = islice(_BOUNDARY.finditer(beginning), MOST_BOUNDARIES + 1)
    if sum(1 for _found in boundaries) > MOST_BOUNDARIES:
        raise Unreadable("it has too many parts inside others")
    message = _parsed(beginning)
    if not message.keys():
        raise Unreadable("it is no message")
    message.source = beginning
    return message


def _beginning_of(source: bytes) -> bytes:
    """Return as much of a message as is read."""
    ends = islice(_LINE_END.finditer(source, 0, MOST_READ), MOST_LINES, MOST_LINES + 1)
    return source[: next((end.start() for end in ends), MOST_READ)]


def _parsed(source: bytes) -> ReceivedMessage:
    parsed: ReceivedMessage = message_from_bytes(source, _class=ReceivedMessage, policy=_SHORT_FIELDS)
    return parsed


class _ShortFields(Compat32):
    """How Python reads email, but only the beginning of each header field, of parts too."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """Return a field's name and the beginning of its value."""
        name, value = super().header_source_parse(sourcelines)
        is_short = name.lower().startswith("content-")
        return name, value[: LONGEST_PARAMETERS if is_short else LONGEST_FIELD]


_SHORT_FIELDS: Any = _ShortFields()
