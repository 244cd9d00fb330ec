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

from accounts.post.line import CutOff, be_patient

_NO_ADDRESS = re.compile(r"[\s\x00-\x1f\x7f<>(),;:\[\]\\]")
_SIZE_EXCEEDED = 552
_GOING_AWAY = 421
_NO_SUCH_ADDRESS = frozenset({550, 551, 553})
_STATUS = re.compile(r"\s*(5\.\d{1,3}\.\d{1,3})\b")


class NotCarried(Exception):
    """The letter was not accepted; each kind below says what that means for it."""


class Refused(NotCarried):
    """This letter will never be accepted for this recipient."""


class NoSuchAddress(Refused):
    """No letter will ever be accepted for this recipient."""


class Delayed(NotCarried):
    """This letter may be accepted later; others may be accepted now."""


class Broken(NotCarried):
    """The connection broke while this letter was under way; whose fault it was cannot be known."""


class Doubtful(Broken):
    """The connection broke after the letter was told: it may have been taken, and be doubled by a try."""


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

    def carry(self, message: EmailMessage, tries: int = 1) -> None:
        """Returns once the server has taken the message; raises one of the kinds of NotCarried.

        The more tries it has cost already, this one included, the longer the server may think about it.
        """
        _refuse_unwritable(message.to)
        kept = self._backend is not None
        try:
            self._send(message, tries)
        except Doubtful:
            raise
        except (Broken, ServerDown):
            if not kept:
                raise
            self._send(message, tries)  # a kept connection may have been closed meanwhile; a new one decides

    def _send(self, message: EmailMessage, tries: int) -> None:
        line = self._line()
        be_patient(line, tries)
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
            return _of_recipient(code, _decoded(answer))
        case smtplib.SMTPSenderRefused():
            # Our own address is refused, which is the same for every letter; its size is this letter's own.
            return Refused(text) if error.smtp_code == _SIZE_EXCEEDED else ServerDown(text)
        case smtplib.SMTPDataError():
            return _of_letter(error.smtp_code, _decoded(error.smtp_error))
        case smtplib.SMTPNotSupportedError():
            return Refused(text)
        case CutOff():
            return Doubtful(text)
        case smtplib.SMTPException() | OSError():
            return Broken(text)
        case _:
            return Refused(text)  # ValueError: an address or a header that no mail can carry


def _of_recipient(code: int, answer: str) -> NotCarried:
    """An answer to the recipient's address: without a status of its own, some codes blame the address."""
    status = status_of(answer)
    if code in _NO_SUCH_ADDRESS and (blames_address(status) if status else True):
        return NoSuchAddress(f"{code} {answer}")
    return _by_code(code, answer)


def _of_letter(code: int, answer: str) -> NotCarried:
    """An answer to the whole letter: it blames the address only where its status says so."""
    if code >= 500 and blames_address(status_of(answer)):
        return NoSuchAddress(f"{code} {answer}")
    return _by_code(code, answer)


def _by_code(code: int, answer: str) -> NotCarried:
    text = f"{code} {answer}"
    if code == _GOING_AWAY:
        return ServerDown(text)
    return Refused(text) if code >= 500 else Delayed(text)


def status_of(answer: str) -> str:
    """The enhanced status an answer begins with (RFC 3463), such as 5.1.1; empty where there is none."""
    found = _STATUS.match(answer)
    return found[1] if found else ""


def blames_address(status: str) -> bool:
    """Whether a status says that the recipient's address takes no letters, whatever is in them.

    5.1.7 and 5.1.8 are about our own address, 5.2.3 is about this letter's length (RFC 3463).
    """
    return status.startswith(("5.1.", "5.2.")) and status not in {"5.1.7", "5.1.8", "5.2.3"}


def _decoded(answer: bytes | str) -> str:
    return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
