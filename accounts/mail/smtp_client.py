"""Send messages by SMTP over one connection. It must not touch the outbox's rows."""

import re
import smtplib
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self

from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.backends.smtp import EmailBackend
from django.core.mail.message import EmailMessage

from accounts.mail.answers import blames_address

ANSWER_WITHIN = 30.0  # seconds for an email's first try; the server may scan it for a while
LONGEST_ANSWER = 300.0  # sending again may duplicate the email, so each further try doubles the wait


class CutOff(smtplib.SMTPServerDisconnected):
    """The connection ended after the data was sent, so the server may or may not have accepted the email."""


def _send_data(connection: "SMTPConnection | EncryptedSMTPConnection", message: Any) -> tuple[int, bytes]:
    """Send DATA with a longer timeout. Raises CutOff without a reply, SMTPDataError if refused."""
    _set_socket_timeout(connection, connection.answer_within)
    try:
        return smtplib.SMTP.data(connection, message)
    except smtplib.SMTPDataError:
        raise
    except OSError as error:  # includes all of smtplib's own errors
        raise CutOff(f"cut off after the email was sent: {error}") from error
    finally:
        _set_socket_timeout(connection, connection.timeout)


def set_timeout(backend: BaseEmailBackend, tries: int) -> None:
    """Set the DATA timeout of the backend's connection according to the number of tries."""
    connection = getattr(backend, "connection", None)
    if isinstance(connection, SMTPConnection | EncryptedSMTPConnection):
        connection.answer_within = min(LONGEST_ANSWER, ANSWER_WITHIN * 2 ** (tries - 1))


def _set_socket_timeout(connection: smtplib.SMTP, seconds: float) -> None:
    if connection.sock is not None:
        connection.sock.settimeout(seconds)


class SMTPConnection(smtplib.SMTP):
    """SMTP connection without encryption, or with STARTTLS."""

    answer_within = ANSWER_WITHIN

    def data(self, msg: Any) -> tuple[int, bytes]:
        """Send DATA as smtplib does, with a timeout of its own."""
        return _send_data(self, msg)


class EncryptedSMTPConnection(smtplib.SMTP_SSL):
    """SMTP connection with TLS from the first byte."""

    answer_within = ANSWER_WITHIN

    def data(self, msg: Any) -> tuple[int, bytes]:
        """Send DATA as smtplib does, with a timeout of its own."""
        return _send_data(self, msg)


class Smtp(EmailBackend):
    """Django's SMTP backend with our connection classes."""

    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        """Return the connection class for these settings."""
        return EncryptedSMTPConnection if self.use_ssl else SMTPConnection


_NO_ADDRESS = re.compile(r"[\s\x00-\x1f\x7f<>(),;:\[\]\\]")
_SIZE_EXCEEDED = 552
_GOING_AWAY = 421


class NotSent(Exception):
    """The email was not accepted; the subclasses say what that means for it."""


class Refused(NotSent):
    """This email will never be accepted for this recipient."""


class Unwritable(Refused):
    """This email can't be written to this recipient, or is too large; no other email is concerned."""


class NoSuchAddress(Refused):
    """No email will ever be accepted for this recipient."""


class Delayed(NotSent):
    """This email may be accepted later; others may be accepted now."""


class Broken(NotSent):
    """The connection broke while this email was being sent; the cause is unknown."""


class Doubtful(Broken):
    """The connection broke after the data was sent, so a retry may duplicate the email."""


class ServerDown(NotSent):
    """The server accepts no email for any recipient at the moment."""


class SmtpClient:
    """Send emails over one SMTP connection, opened when first needed and reopened when broken."""

    def __init__(self) -> None:
        self._backend: BaseEmailBackend | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def send(self, message: EmailMessage, tries: int = 1) -> None:
        """Send the message; raises a subclass of NotSent if the server does not accept it.

        `tries` counts this try too. The more tries, the longer the server may take to answer.
        """
        _refuse_unwritable(message.to)
        is_reused = self._backend is not None
        try:
            self._try(message, tries)
        except Doubtful:
            raise
        except (Broken, ServerDown):
            if not is_reused:
                raise
            self._try(message, tries)  # the open connection may have been closed, so try once with a new one

    def _try(self, message: EmailMessage, tries: int) -> None:
        backend = self._open()
        set_timeout(backend, tries)
        try:
            backend.send_messages([message])
        except (smtplib.SMTPException, OSError, ValueError) as error:
            failure = meaning_of(error)
            if isinstance(failure, Broken | ServerDown):
                self._close()
            raise failure from error

    def _open(self) -> BaseEmailBackend:
        if self._backend is None:
            backend = mail.get_connection()
            try:
                backend.open()
            except (smtplib.SMTPException, OSError) as error:
                raise ServerDown(f"{type(error).__name__}: {error}") from error
            self._backend = backend
        return self._backend

    def _close(self) -> None:
        backend, self._backend = self._backend, None
        if backend is None:
            return
        try:
            backend.close()
        except (smtplib.SMTPException, OSError):
            return  # the connection is already broken


def _refuse_unwritable(addresses: Iterable[str]) -> None:
    """Raise Unwritable for invalid addresses; few servers accept a non-ASCII mailbox (RFC 6531)."""
    for address in addresses:
        mailbox, at, domain = address.rpartition("@")
        if not (mailbox and at and domain) or not mailbox.isascii() or _NO_ADDRESS.search(address):
            raise Unwritable(f"no mail can be sent to {address!r}")


def meaning_of(error: Exception) -> NotSent:
    """Return what a mail library error means for the email."""
    text = f"{type(error).__name__}: {error}"
    match error:
        case smtplib.SMTPRecipientsRefused():
            code, answer = next(iter(error.recipients.values()))
            return _refusal(code, _decoded(answer))
        case smtplib.SMTPSenderRefused():
            # Our own address is refused, as for every email; the size limit concerns only this one.
            return Unwritable(text) if error.smtp_code == _SIZE_EXCEEDED else ServerDown(text)
        case smtplib.SMTPDataError():
            return _refusal(error.smtp_code, _decoded(error.smtp_error))
        case smtplib.SMTPNotSupportedError():
            return Unwritable(text)
        case CutOff():
            return Doubtful(text)
        case smtplib.SMTPException() | OSError():
            return Broken(text)
        case _:
            return Unwritable(text)  # ValueError: an invalid address or header


def _refusal(code: int, answer: str) -> NotSent:
    """Classify a reply to RCPT or DATA."""
    text = f"{code} {answer}"
    if code == _GOING_AWAY:
        return ServerDown(text)
    if code < 500:
        return Delayed(text)
    return NoSuchAddress(text) if blames_address(text) else Refused(text)


def _decoded(answer: bytes | str) -> str:
    return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
