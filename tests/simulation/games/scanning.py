"""Mail scanners: machines at the mail server that open every link of an email as it comes in, by GET.

Nothing may come of it: every statement that is not a SELECT is noted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from django.core.mail.message import EmailMessage
from django.db import connection
from django.test import Client

from accounts.models import RateLimitCounter

LINK = re.compile(r"https?://[^\s<>\"]+")
READS = ("SELECT", "SAVEPOINT", "RELEASE")


@dataclass
class Scanner:
    """Opens links without an account, and records the answers."""

    opened: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)
    client: Client = field(default_factory=lambda: Client(SERVER_NAME="localhost"))

    def opens(self, message: EmailMessage) -> None:
        """Open every link of the email's text that was not opened before."""
        for link in dict.fromkeys(LINK.findall(str(message.body))):
            if link not in self.opened:
                self.opened.add(link)
                self._open(link)

    def _open(self, link: str) -> None:
        parts = urlsplit(link)
        self.client.cookies.clear()
        with connection.execute_wrapper(self._notes_writing):
            answer = self.client.get(f"{parts.path}?{parts.query}" if parts.query else parts.path)
        if answer.status_code >= 500 or answer.status_code == 404:
            self.wrong.append(f"{parts.path.split('/')[1]}: status {answer.status_code}")

    def _notes_writing(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]
    ) -> Any:
        # How often a record was downloaded is counted, and changes no game.
        if not sql.lstrip().startswith(READS) and f'"{RateLimitCounter._meta.db_table}"' not in sql:
            self.wrong.append(f"opening a link wrote: {sql[:60]}")
        return execute(sql, params, many, context)
