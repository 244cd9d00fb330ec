"""Mail by LMTP (RFC 2033): the mail server keeps what cannot be accepted now; only own addresses exist."""

import asyncio
import logging
import signal
from collections.abc import Callable
from typing import TypeVar

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session
from django.conf import settings
from django.db import DatabaseError, connection

from accounts.mail.own_addresses import NotOurs
from accounts.mail.receiving import require_ours
from accounts.mail.set_aside import TryLater, take

logger = logging.getLogger(__name__)

LARGEST = 10 * 1024 * 1024  # bytes
OK = "250 2.0.0 accepted"
UNKNOWN = "550 5.1.1 no such address"
ONE_BY_ONE = "452 4.5.3 one recipient at a time"
TRY_LATER = "451 4.3.0 try again later"
_LONGEST_LINE = 256 * 1024

Answer = TypeVar("Answer")


class _Session(LMTP):
    line_length_limit = _LONGEST_LINE  # messages may have longer lines than SMTP allows

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        """Return the address in a command; one that breaks aiosmtpd's parser is malformed."""
        try:
            return super()._getaddr(arg)
        except (RecursionError, IndexError, ValueError):
            return None, None


class Handler:
    """LMTP handler; runs every database query in a separate thread."""

    def __init__(self) -> None:
        self.busy = 0  # messages being processed

    async def handle_RCPT(  # noqa: N802 (aiosmtpd's name)
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Accept only signed addresses, one recipient per message.

        None is refused before the database was reached: only then it's known that the key is the right one.
        """
        if envelope.rcpt_tos:
            return ONE_BY_ONE
        try:
            await _in_background(_reach_the_database)
            require_ours(address)
        except NotOurs:
            return UNKNOWN
        except DatabaseError:
            return TRY_LATER
        envelope.rcpt_tos.append(address)
        return OK

    async def handle_DATA(  # noqa: N802 (aiosmtpd's name)
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        """Accept the message once what it says is recorded, or it is set aside.

        A refusal would make the mail server write to the sender, who may be forged.
        """
        content, recipient, sender = envelope.content, envelope.rcpt_tos[0], envelope.mail_from or ""
        assert isinstance(content, bytes)
        self.busy += 1
        try:
            await _in_background(lambda: take(recipient, content, sender))
        except NotOurs:
            return UNKNOWN  # it expired a moment ago
        except TryLater as error:
            logger.warning("a message was not taken: %s", error)
            return TRY_LATER
        finally:
            self.busy -= 1
        return OK

    async def handle_exception(self, error: Exception) -> str:
        """Answer every unexpected error, so that no input can end the session without a reply."""
        logger.error("a command of a mail server could not be answered", exc_info=error)
        return TRY_LATER


def _reach_the_database() -> None:
    """Raise DatabaseError while nothing can be recorded."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


async def _in_background(action: Callable[[], Answer]) -> Answer:
    def with_own_connection() -> Answer:
        try:
            return action()
        finally:
            connection.close()

    return await asyncio.to_thread(with_own_connection)


def serve(host: str, port: int, started: Callable[[int], None]) -> None:
    """Accept messages until SIGTERM or SIGINT, then finish the current messages. Raises OSError."""
    logging.getLogger("mail.log").setLevel(logging.WARNING)  # it logs every line it receives
    asyncio.run(_serve(host, port, started))


async def _serve(host: str, port: int, started: Callable[[int], None]) -> None:
    loop, ended, handler = asyncio.get_running_loop(), asyncio.Event(), Handler()

    def session() -> _Session:
        return _Session(
            handler,
            data_size_limit=LARGEST,
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
