"""Send messages by SMTP over one connection. It must not touch the outbox's rows."""

import re
import smtplib
from collections.abc import Iterable
from types import TracebackType
from typing import Self

from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.message import EmailMessage

from accounts.mail.smtp_connection import set_timeout
from accounts.mail.smtp_failures import Broken, Doubtful, ServerDown, Unwritable, meaning_of

_NO_ADDRESS = re.compile(r"[\s\x00-\x1f\x7f<>(),;:\[\]\\]")


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
