"""Receive bounces: delivery reports (RFC 3464) by pipe or LMTP (RFC 2033)."""

import asyncio
import logging
import re
import signal
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from typing import TypeVar

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session
from django.conf import settings
from django.db import DatabaseError, connection, transaction

from accounts import clock
from accounts.mail import delivery_status, suppression
from accounts.mail.messages import NotOurs, email_of, one_line
from accounts.mail.models import OutgoingEmail

logger = logging.getLogger(__name__)

MOST_READ = 256 * 1024  # bytes; the report comes first, and the returned email after it is not needed
_STATUS = re.compile(r"[245]\.\d{1,3}\.\d{1,3}")
_ARRIVED = frozenset({"delivered", "relayed", "expanded"})
_LONGEST_DIAGNOSTIC = 500


class Unreadable(ValueError):
    """The source is not an email message."""


@dataclass(frozen=True)
class Failure:
    """Reason for a failed delivery: a status code (RFC 3463) and the server's own text."""

    status: str
    words: str

    @property
    def is_for_good(self) -> bool:
        """Whether the failure is permanent. If not, a server on the way gave up after days of retries."""
        return self.status.startswith("5")

    @property
    def blames_address(self) -> bool:
        """Whether any email to this address would bounce, whatever its content or sender."""
        about_content = self.status.startswith(("5.6.", "5.7.")) or self.status in {"5.2.3", "5.3.4"}
        about_us = self.status in {"5.1.7", "5.1.8"}
        return self.is_for_good and not about_content and not about_us


def receive(recipient: str, source: bytes) -> bool:
    """Process one message sent to `recipient`; return True if it recorded a new bounce.

    Raises NotOurs if the address is not one of our return paths, Unreadable if the source is not a message.
    """
    number = email_of(recipient)
    failure = failure_reported(source)
    if failure is None:
        logger.info("mail to email %s is no report that it failed: ignored", number)
        return False
    known = _record_bounce(number, failure)
    logger.info("email %s came back (%s)%s", number, failure.status, "" if known else ": ignored")
    return known


def failure_reported(source: bytes) -> Failure | None:
    """Return the failure that a message reports, or None if it is not a failure report."""
    message = _message(source[:MOST_READ])
    if message.get_content_type() != "multipart/report" or not message.is_multipart():
        return None
    blocks = [block for part in _parts(message) for block in _blocks(part)]
    actions = {_word(block["Action"]) for block in blocks}
    if actions & _ARRIVED:
        return None
    failed = (_failure(block) for block in blocks if _word(block["Action"]) == "failed")
    return next((failure for failure in failed if failure is not None), None)


def _message(source: bytes) -> Message:
    try:
        message = message_from_bytes(source)
    except (RecursionError, ValueError, LookupError) as error:  # too deeply nested, or a malformed part
        raise Unreadable("a message that cannot be read") from error
    if not message.keys():
        raise Unreadable("no message")
    return message


def _parts(message: Message) -> list[Message]:
    """Return the parts of a report, but not the returned email, which could hide another report."""
    payload = message.get_payload()
    return [part for part in payload if isinstance(part, Message)] if isinstance(payload, list) else []


def _blocks(part: Message) -> list[Message]:
    """Return the per-recipient blocks of a delivery status part."""
    if part.get_content_type() != "message/delivery-status":
        return []
    return [block for block in _parts(part) if block["Action"] is not None]


def _failure(block: Message) -> Failure | None:
    found = _STATUS.search(str(block["Status"] or ""))
    if found is None or found[0].startswith("2"):
        return None
    words = str(block["Diagnostic-Code"] or "").partition(";")[2] or found[0]
    return Failure(found[0], _readable(words)[:_LONGEST_DIAGNOSTIC])


def _readable(words: str) -> str:
    return one_line(words.encode("utf-8", "replace").decode("utf-8").replace("\ufffd", "?"))


def _word(value: object) -> str:
    """Return the first word of a field, in lower case; comments may follow it."""
    words = str(value or "").lower().split()
    return words[0] if words else ""


def _record_bounce(number: int, failure: Failure) -> bool:
    """Record a bounce once; return False if the email is gone, was never sent, or has already bounced."""
    with transaction.atomic():
        email = OutgoingEmail.objects.filter(pk=number).first()
        if email is None:
            return False
        blamed = failure.blames_address or suppression.keeps_failing(email)
        return delivery_status.mark_bounced(email, clock.now(), failure.words, address_fails=blamed)


# Bounces by LMTP (RFC 2033): the mail server keeps what we cannot accept now; only our return paths are known


LARGEST_REPORT = 5 * 1024 * 1024  # bytes
OK = "250 2.0.0 accepted"
UNKNOWN = "550 5.1.1 no such address"
ONE_BY_ONE = "452 4.5.3 one recipient at a time"
TRY_LATER = "451 4.3.0 try again later"
NO_MESSAGE = "554 5.6.0 this cannot be read"
_LONGEST_LINE = 256 * 1024

Answer = TypeVar("Answer")


class _Session(LMTP):
    line_length_limit = _LONGEST_LINE  # a returned email may have longer lines than SMTP allows


class Handler:
    """LMTP handler; runs every database query in a separate thread."""

    def __init__(self) -> None:
        self.busy = 0  # messages being processed

    async def handle_RCPT(  # noqa: N802 (aiosmtpd's name)
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Accept only signed return paths, one recipient per message."""
        if envelope.rcpt_tos:
            return ONE_BY_ONE
        try:
            email = email_of(address)
            await _in_background(lambda: OutgoingEmail.objects.filter(pk=email).exists())
        except NotOurs:
            return UNKNOWN
        except DatabaseError:
            return TRY_LATER
        envelope.rcpt_tos.append(address)
        return OK

    async def handle_DATA(  # noqa: N802 (aiosmtpd's name)
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        """Accept the message once the bounce is recorded."""
        content, recipient = envelope.content, envelope.rcpt_tos[0]
        assert isinstance(content, bytes)
        self.busy += 1
        try:
            await _in_background(lambda: receive(recipient, content))
        except Unreadable:
            return NO_MESSAGE
        except DatabaseError:
            logger.warning("a bounce could not be recorded", exc_info=True)
            return TRY_LATER
        finally:
            self.busy -= 1
        return OK

    async def handle_exception(self, error: Exception) -> str:
        """Answer every unexpected error, so that no input can end the session without a reply."""
        logger.error("a bounce could not be taken", exc_info=error)
        return TRY_LATER


async def _in_background(action: Callable[[], Answer]) -> Answer:
    def with_own_connection() -> Answer:
        try:
            return action()
        finally:
            connection.close()

    return await asyncio.to_thread(with_own_connection)


def serve(host: str, port: int, started: Callable[[int], None]) -> None:
    """Accept bounces until SIGTERM or SIGINT, then finish the current messages. Raises OSError."""
    logging.getLogger("mail.log").setLevel(logging.WARNING)  # it logs every line it receives
    asyncio.run(_serve(host, port, started))


async def _serve(host: str, port: int, started: Callable[[int], None]) -> None:
    loop, ended, handler = asyncio.get_running_loop(), asyncio.Event(), Handler()

    def session() -> _Session:
        return _Session(
            handler,
            data_size_limit=LARGEST_REPORT,
            hostname=settings.SITE_HOST,
            ident="Condottiere",
            loop=loop,
        )

    server = await loop.create_server(session, host, port)
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, ended.set)
    started(server.sockets[0].getsockname()[1])
    await ended.wait()
    server.close()
    while handler.busy:
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.1)  # time to send the last reply
