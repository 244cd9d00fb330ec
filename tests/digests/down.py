"""An email backend that accepts nothing."""

from typing import Any

from django.core.mail.backends.base import BaseEmailBackend


class NoServer(BaseEmailBackend):
    def open(self) -> bool:
        raise ConnectionRefusedError("nobody listens")

    def send_messages(self, email_messages: Any) -> int:
        raise ConnectionRefusedError("nobody listens")
