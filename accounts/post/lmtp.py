"""Bounces by LMTP (RFC 2033): the mail server hands them over one by one, and keeps what we cannot take now.

Only return paths of ours are known here; the rest is refused before it is sent.
"""

import asyncio
import logging
import signal
from collections.abc import Callable
from typing import TypeVar

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session
from django.conf import settings
from django.db import DatabaseError, connection

from accounts.post.bounces import Unreadable, receive
from accounts.post.models import Letter
from accounts.post.return_paths import NotOurs, letter_of

logger = logging.getLogger(__name__)

LARGEST = 5 * 1024 * 1024  # bytes
OK = "250 2.0.0 taken"
UNKNOWN = "550 5.1.1 no such address"
ONE_BY_ONE = "452 4.5.3 one recipient at a time"
LATER = "451 4.3.0 try again later"
NO_MESSAGE = "554 5.6.0 this cannot be read"
_LONGEST_LINE = 256 * 1024

Answer = TypeVar("Answer")


class _Talk(LMTP):
    line_length_limit = _LONGEST_LINE  # a returned letter may have longer lines than SMTP allows


class Handler:
    """What is answered to a mail server; every look at the database happens in a thread beside."""

    def __init__(self) -> None:
        self.busy = 0  # messages being taken

    async def handle_RCPT(  # noqa: N802 (aiosmtpd's name)
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Known are signed return paths alone."""
        if envelope.rcpt_tos:
            return ONE_BY_ONE
        try:
            letter = letter_of(address)
            await _beside(lambda: Letter.objects.filter(pk=letter).exists())
        except NotOurs:
            return UNKNOWN
        except DatabaseError:
            return LATER
        envelope.rcpt_tos.append(address)
        return OK

    async def handle_DATA(  # noqa: N802 (aiosmtpd's name)
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        """Taken once the letter's row says so."""
        content, recipient = envelope.content, envelope.rcpt_tos[0]
        assert isinstance(content, bytes)
        self.busy += 1
        try:
            await _beside(lambda: receive(recipient, content))
        except Unreadable:
            return NO_MESSAGE
        except DatabaseError:
            logger.warning("a bounce could not be recorded", exc_info=True)
            return LATER
        finally:
            self.busy -= 1
        return OK

    async def handle_exception(self, error: Exception) -> str:
        """Nothing a stranger sends may end the talk without an answer."""
        logger.error("a bounce could not be taken", exc_info=error)
        return LATER


async def _beside(action: Callable[[], Answer]) -> Answer:
    def with_own_connection() -> Answer:
        try:
            return action()
        finally:
            connection.close()

    return await asyncio.to_thread(with_own_connection)


def serve(host: str, port: int, started: Callable[[int], None]) -> None:
    """Takes bounces until SIGTERM or SIGINT; what is being said then is finished. Raises OSError."""
    logging.getLogger("mail.log").setLevel(logging.WARNING)  # it tells every line it hears
    asyncio.run(_serve(host, port, started))


async def _serve(host: str, port: int, started: Callable[[int], None]) -> None:
    loop, ended, handler = asyncio.get_running_loop(), asyncio.Event(), Handler()

    def talk() -> _Talk:
        return _Talk(
            handler, data_size_limit=LARGEST, hostname=settings.SITE_HOST, ident="Condottiere", loop=loop
        )

    server = await loop.create_server(talk, host, port)
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, ended.set)
    started(server.sockets[0].getsockname()[1])
    await ended.wait()
    server.close()
    while handler.busy:
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.1)  # for the last answer to be said
