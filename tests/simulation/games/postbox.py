"""The mail server of a simulated world: takes emails, refuses some addresses, sends others' emails back.

An email backend like any other: delivery does not know it from a real server.
"""

from __future__ import annotations

import smtplib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.message import EmailMessage

BACKEND = f"{__name__}.Postbox"
BOUNCE_ADDRESS = "bounces@simulation.example"
REPLY_ADDRESS = "reply@simulation.example"
SETTINGS = {"EMAIL_BACKEND": BACKEND, "BOUNCE_ADDRESS": BOUNCE_ADDRESS, "REPLY_ADDRESS": REPLY_ADDRESS}
Postman = Callable[[EmailMessage], bool]  # False: this address is refused for good

_postman: ContextVar[Postman] = ContextVar("postman")


class Postbox(BaseEmailBackend):
    """An email backend that hands every message to the simulated world."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Deliver; raise what smtplib raises if a server refuses the recipient."""
        for message in email_messages:
            if not _postman.get()(message):
                refusals = dict.fromkeys(message.to, (550, b"5.1.1 no such person"))
                raise smtplib.SMTPRecipientsRefused(refusals)
        return len(email_messages)


@contextmanager
def carried_by(postman: Postman) -> Iterator[None]:
    """Give this thread's emails to `postman` in this block."""
    before = _postman.set(postman)
    try:
        yield
    finally:
        _postman.reset(before)


def report_of_failure(address: str) -> bytes:
    """Return the report that a mail server sends to the return path of an unknown address (RFC 3464)."""
    lines = (
        "From: <>",
        "Subject: Undelivered mail",
        "MIME-Version: 1.0",
        'Content-Type: multipart/report; report-type=delivery-status; boundary="-"',
        "",
        "---",
        "Content-Type: message/delivery-status",
        "",
        "Reporting-MTA: dns; mail.simulation.example",
        "",
        f"Final-Recipient: rfc822; {address}",
        "Action: failed",
        "Status: 5.1.1",
        "Diagnostic-Code: smtp; 550 no such person",
        "",
        "-----",
    )
    return "\r\n".join(lines).encode()
