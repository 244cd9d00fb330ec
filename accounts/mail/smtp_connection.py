"""SMTP connections that wait longer for the reply to DATA, and Django's backend with them."""

import smtplib
from typing import Any

from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.backends.smtp import EmailBackend

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
