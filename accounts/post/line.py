"""The line to an SMTP server: impatient until it has greeted, patient once it has a letter to think about.

Nothing here may touch the outbox's rows.
"""

import smtplib
from typing import Any

from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.backends.smtp import EmailBackend

ANSWER_WITHIN = 30.0  # seconds for a letter's first try; a server may look long at it
LONGEST_ANSWER = 300.0  # and sending it again may double it, so each further try gives it twice the time


class CutOff(smtplib.SMTPServerDisconnected):
    """The connection ended after the letter was told: whether the server has taken it cannot be known."""


def _patient_data(line: "Line | PrivateLine", message: Any) -> tuple[int, bytes]:
    """DATA with time to answer. Raises CutOff where no answer came, SMTPDataError where it was no."""
    _allow(line, line.answer_within)
    try:
        return smtplib.SMTP.data(line, message)
    except smtplib.SMTPDataError:
        raise
    except OSError as error:  # so are all of smtplib's own
        raise CutOff(f"cut off after the letter was told: {error}") from error
    finally:
        _allow(line, line.timeout)


def be_patient(backend: BaseEmailBackend, tries: int) -> None:
    """Gives the next letter on this backend's line the time its number of tries deserves."""
    line = getattr(backend, "connection", None)
    if isinstance(line, Line | PrivateLine):
        line.answer_within = min(LONGEST_ANSWER, ANSWER_WITHIN * 2 ** (tries - 1))


def _allow(line: smtplib.SMTP, seconds: float) -> None:
    if line.sock is not None:
        line.sock.settimeout(seconds)


class Line(smtplib.SMTP):
    """Plain, or made private by STARTTLS."""

    answer_within = ANSWER_WITHIN

    def data(self, msg: Any) -> tuple[int, bytes]:
        """As in smtplib, with its own time to answer."""
        return _patient_data(self, msg)


class PrivateLine(smtplib.SMTP_SSL):
    """Private from its first byte."""

    answer_within = ANSWER_WITHIN

    def data(self, msg: Any) -> tuple[int, bytes]:
        """As in smtplib, with its own time to answer."""
        return _patient_data(self, msg)


class Smtp(EmailBackend):
    """Django's backend with our lines."""

    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        """What a connection is made of."""
        return PrivateLine if self.use_ssl else Line
