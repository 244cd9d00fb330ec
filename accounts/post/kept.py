"""Where letters go while no mail server is configured: into rows the operator can read.

An e-mail backend like any other; delivery does not know it from a real server.
"""

from collections.abc import Sequence
from email.message import Message
from typing import Any

from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.message import EmailMessage, EmailMultiAlternatives

from accounts.post.models import KeptLetter


class KeptLetters(BaseEmailBackend):
    """Keeps every message as a KeptLetter, one row for each of its recipients."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Keeps the messages and returns how many there were."""
        for message in email_messages:
            source: Any = message.message()
            for address in message.recipients():
                _keep(message, source, address)
        return len(email_messages)


def _keep(message: EmailMessage, source: Message, address: str) -> None:
    KeptLetter.objects.create(
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
