"""Send messages by SMTP over one connection, with a circuit breaker shared by all processes."""

import logging
import re
import smtplib
from collections.abc import Iterable
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, Self

from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.backends.smtp import EmailBackend
from django.core.mail.message import EmailMessage
from django.db.models import F, Q

from accounts.mail.models import MailServerHealth, OutgoingEmail

logger = logging.getLogger(__name__)

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


# SMTP client: one connection per tick; must not touch the outbox's rows


_NO_ADDRESS = re.compile(r"[\s\x00-\x1f\x7f<>(),;:\[\]\\]")
_SIZE_EXCEEDED = 552
_GOING_AWAY = 421
_NO_SUCH_ADDRESS = frozenset({550, 551, 553})
_STATUS = re.compile(r"\s*(5\.\d{1,3}\.\d{1,3})\b")


class NotSent(Exception):
    """The email was not accepted; the subclasses say what that means for it."""


class Refused(NotSent):
    """This email will never be accepted for this recipient."""


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
            failure = _meaning(error)
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
    """Raise Refused for invalid addresses; few servers accept a non-ASCII mailbox (RFC 6531)."""
    for address in addresses:
        mailbox, at, domain = address.rpartition("@")
        if not (mailbox and at and domain) or not mailbox.isascii() or _NO_ADDRESS.search(address):
            raise Refused(f"no mail can be sent to {address!r}")


def _meaning(error: Exception) -> NotSent:
    """Return what a mail library error means for the email."""
    text = f"{type(error).__name__}: {error}"
    match error:
        case smtplib.SMTPRecipientsRefused():
            code, answer = next(iter(error.recipients.values()))
            return _of_recipient(code, _decoded(answer))
        case smtplib.SMTPSenderRefused():
            # Our own address is refused, as for every email; the size limit concerns only this one.
            return Refused(text) if error.smtp_code == _SIZE_EXCEEDED else ServerDown(text)
        case smtplib.SMTPDataError():
            return _of_email(error.smtp_code, _decoded(error.smtp_error))
        case smtplib.SMTPNotSupportedError():
            return Refused(text)
        case CutOff():
            return Doubtful(text)
        case smtplib.SMTPException() | OSError():
            return Broken(text)
        case _:
            return Refused(text)  # ValueError: an invalid address or header


def _of_recipient(code: int, answer: str) -> NotSent:
    """Classify a reply to RCPT; without an enhanced status, some codes mean a bad address."""
    status = status_of(answer)
    if code in _NO_SUCH_ADDRESS and (blames_address(status) if status else True):
        return NoSuchAddress(f"{code} {answer}")
    return _by_code(code, answer)


def _of_email(code: int, answer: str) -> NotSent:
    """Classify a reply to DATA; only an enhanced status can mean a bad address."""
    if code >= 500 and blames_address(status_of(answer)):
        return NoSuchAddress(f"{code} {answer}")
    return _by_code(code, answer)


def _by_code(code: int, answer: str) -> NotSent:
    text = f"{code} {answer}"
    if code == _GOING_AWAY:
        return ServerDown(text)
    return Refused(text) if code >= 500 else Delayed(text)


def status_of(answer: str) -> str:
    """Return the enhanced status at the start of a reply (RFC 3463), such as 5.1.1, or an empty string."""
    found = _STATUS.match(answer)
    return found[1] if found else ""


def blames_address(status: str) -> bool:
    """Return whether a status says that the address accepts no emails, whatever their content.

    5.1.7 and 5.1.8 are about our own address, 5.2.3 is about this email's length (RFC 3463).
    """
    return status.startswith(("5.1.", "5.2.")) and status not in {"5.1.7", "5.1.8", "5.2.3"}


def _decoded(answer: bytes | str) -> str:
    return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer


# Circuit breaker: one broken connection may be the email's fault, several in a row are the server's


PAUSE = timedelta(seconds=10)  # between two tests whether the server accepts emails again
MOST_BREAKS = 3
_ROW = 1
_LONGEST_SERVER_ERROR = 1000


def may_try(server: MailServerHealth | None, now: datetime) -> bool:
    """Return whether this tick may send: always if the server is healthy, else one tick per PAUSE."""
    if server is None or server.failing_since is None:
        return True
    rested = Q(rests_until__lte=now) | Q(rests_until__gt=now + 2 * PAUSE)  # the clock may have been set back
    return bool(MailServerHealth.objects.filter(rested, pk=server.pk).update(rests_until=now + PAUSE))


def breaker_state() -> MailServerHealth | None:
    """Return the circuit breaker row, or None if the server is healthy."""
    return MailServerHealth.objects.first()


def is_down(now: datetime, error: str) -> None:
    """Record that the server accepts no email, and pause."""
    logger.warning("the mail server takes no emails: %s", error)
    _note(error)
    _rest(now)


def record_break(now: datetime, error: str) -> None:
    """Record a broken connection; pause after MOST_BREAKS in a row."""
    logger.warning("the connection to the mail server broke: %s", error)
    _note(error)
    MailServerHealth.objects.filter(pk=_ROW).update(breaks=F("breaks") + 1)
    if MailServerHealth.objects.filter(pk=_ROW, breaks__gte=MOST_BREAKS).exists():
        _rest(now)


def record_success(now: datetime) -> None:
    """Record that the server answered, and make emails that waited for it due now."""
    recovered = MailServerHealth.objects.exclude(failing_since=None).exists()
    MailServerHealth.objects.all().delete()
    if recovered:
        waiting = OutgoingEmail.objects.filter(
            state=OutgoingEmail.State.QUEUED, waits_for_server=True, not_before__gt=now
        )
        waiting.update(not_before=now)
        logger.warning("the mail server takes emails again")


def _note(error: str) -> None:
    MailServerHealth.objects.update_or_create(pk=_ROW, defaults={"last_error": error[:_LONGEST_SERVER_ERROR]})


def _rest(now: datetime) -> None:
    MailServerHealth.objects.filter(pk=_ROW, failing_since=None).update(failing_since=now)
    MailServerHealth.objects.filter(pk=_ROW).update(rests_until=now + PAUSE)
