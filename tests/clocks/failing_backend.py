"""An email backend for tests that fails for a while, or delays one address."""

from __future__ import annotations

import smtplib
from collections.abc import Sequence

from django.core.mail.backends.locmem import EmailBackend
from django.core.mail.message import EmailMessage

BACKEND = "tests.clocks.failing_backend.Unwell"
is_down = False
put_off: set[str] = set()


class Unwell(EmailBackend):
    """An email backend that accepts or refuses emails as the two flags above say."""

    def open(self) -> bool | None:
        if is_down:
            raise ConnectionRefusedError("nobody is there")
        return super().open()

    def send_messages(self, messages: Sequence[EmailMessage]) -> int:
        for message in messages:
            for address in message.to:
                if address in put_off:
                    raise smtplib.SMTPRecipientsRefused({address: (451, b"try again later")})
        return super().send_messages(messages)
