"""The way to the mail server: one connection kept within a tick, and what its answers mean.

Nothing here may touch the outbox's rows.
"""

import re
import smtplib
from collections.abc import Iterable
from types import TracebackType
from typing import Self

from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.message import EmailMessage

_NO_ADDRESS = re.compile(r"[\s\x00-\x1f\x7f<>(),;:\[\]\\]")
_SIZE_EXCEEDED = 552
_GOING_AWAY = 421


class NotCarried(Exception):
    """The letter was not accepted; each kind below says what that means for it."""


class Refused(NotCarried):
    """This letter will never be accepted for this recipient."""


class Delayed(NotCarried):
    """This letter may be accepted later; others may be accepted now."""


class Broken(NotCarried):
    """The connection broke while this letter was under way; whose fault it was cannot be known."""


class ServerDown(NotCarried):
    """The server takes no letter at all at the moment, whoever it is for."""


class Carrier:
    """Hands letters to the mail server over one connection, made when first needed and again when broken."""

    def __init__(self) -> None:
        self._backend: BaseEmailBackend | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hang_up()

    def carry(self, message: EmailMessage) -> None:
        """Returns once the server has taken the message; raises one of the kinds of NotCarried."""
        _refuse_unwritable(message.to)
        kept = self._backend is not None
        try:
            self._send(message)
        except (Broken, ServerDown):
            if not kept:
                raise
            self._send(message)  # a kept connection may have been closed meanwhile; a new one decides

    def _send(self, message: EmailMessage) -> None:
        line = self._line()
        try:
            line.send_messages([message])
        except (smtplib.SMTPException, OSError, ValueError) as error:
            failure = _meaning(error)
            if isinstance(failure, Broken | ServerDown):
                self._hang_up()
            raise failure from error

    def _line(self) -> BaseEmailBackend:
        if self._backend is None:
            backend = mail.get_connection()
            try:
                backend.open()
            except (smtplib.SMTPException, OSError) as error:
                raise ServerDown(f"{type(error).__name__}: {error}") from error
            self._backend = backend
        return self._backend

    def _hang_up(self) -> None:
        backend, self._backend = self._backend, None
        if backend is None:
            return
        try:
            backend.close()
        except (smtplib.SMTPException, OSError):
            return  # it is broken already


def _refuse_unwritable(addresses: Iterable[str]) -> None:
    """What is no address must not count as sent; few servers take one not ASCII before the @ (RFC 6531)."""
    for address in addresses:
        mailbox, at, domain = address.rpartition("@")
        if not (mailbox and at and domain) or not mailbox.isascii() or _NO_ADDRESS.search(address):
            raise Refused(f"no mail can be sent to {address!r}")


def _meaning(error: Exception) -> NotCarried:
    """What an error of the mail library means for the letter it happened to."""
    text = f"{type(error).__name__}: {error}"
    match error:
        case smtplib.SMTPRecipientsRefused():
            code, answer = next(iter(error.recipients.values()))
            return _by_code(code, f"{code} {_decoded(answer)}")
        case smtplib.SMTPSenderRefused():
            # Our own address is refused, which is the same for every letter; its size is this letter's own.
            return Refused(text) if error.smtp_code == _SIZE_EXCEEDED else ServerDown(text)
        case smtplib.SMTPDataError():
            return _by_code(error.smtp_code, f"{error.smtp_code} {_decoded(error.smtp_error)}")
        case smtplib.SMTPNotSupportedError():
            return Refused(text)
        case smtplib.SMTPException() | OSError():
            return Broken(text)
        case _:
            return Refused(text)  # ValueError: an address or a header that no mail can carry


def _by_code(code: int, text: str) -> NotCarried:
    if code == _GOING_AWAY:
        return ServerDown(text)
    return Refused(text) if code >= 500 else Delayed(text)


def _decoded(answer: bytes | str) -> str:
    return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
