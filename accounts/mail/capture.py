"""Emails stored as rows if no mail server is configured."""

from collections.abc import Sequence
from email.message import Message
from typing import Any

from django.conf import settings
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.message import EmailMessage, EmailMultiAlternatives

from accounts.mail.models import CapturedEmail

BACKEND = "accounts.mail.capture.CaptureBackend"


def emails_are_captured() -> bool:
    """Return whether emails are stored for the operator, because no mail server is configured."""
    return bool(settings.EMAIL_BACKEND == BACKEND)


class CaptureBackend(BaseEmailBackend):
    """Email backend that stores every message as a CapturedEmail, one row per recipient."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Store the messages and return how many there were."""
        for message in email_messages:
            source: Any = message.message()
            for address in message.recipients():
                _capture(message, source, address)
        return len(email_messages)


def _capture(message: EmailMessage, source: Message, address: str) -> None:
    CapturedEmail.objects.create(
        to=address,
        subject=str(message.subject),
        text=str(message.body),
        html=_html(message),
        headers=[[name, str(value)] for name, value in source.items()],
        source=source.as_bytes(),
    )


def _html(message: EmailMessage) -> str:
    if not isinstance(message, EmailMultiAlternatives):
        return ""
    return next((str(body) for body, kind in message.alternatives if kind == "text/html"), "")
