"""A mail server that signs as OpenDKIM does, and hands mail to the site back to the site."""

from __future__ import annotations

import asyncio
import base64
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import dkim
from aiosmtpd.smtp import SMTP, Envelope, Session
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from django.db import connection

from accounts.mail.delivery import deliver_due
from accounts.mail.own_addresses import NotOurs
from accounts.mail.set_aside import take

FIELDS = [b"from", b"to", b"subject", b"date", b"message-id"]
BOTH = [b"list-unsubscribe", b"list-unsubscribe-post"]


@dataclass
class Post:
    """What the mail server does with each email; tests change it."""

    key: bytes = b""  # signs if there is one
    domain: bytes = b"games.example.org"
    fields: list[bytes] = field(default_factory=lambda: FIELDS + BOTH)
    received: bytes = b""  # a field of its own, as of a server on the way
    changes: Callable[[bytes], bytes] = lambda source: source  # after signing
    sender: str | None = None  # instead of the envelope's
    loses: bool = False
    answer: Callable[[bytes], bytes] | None = None  # by people, to Reply-To
    taken: list[tuple[str, bytes]] = field(default_factory=list)

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        source, [recipient] = envelope.content, envelope.rcpt_tos
        assert isinstance(source, bytes)
        self.taken.append((recipient, source))
        if not self.loses:
            await asyncio.to_thread(self._hand_over, recipient, source, envelope.mail_from or "")
        return "250 OK"

    def _hand_over(self, recipient: str, source: bytes, sender: str) -> None:
        if self.key:
            fields = [name for name in self.fields if name in source.lower()]
            source = dkim.sign(source, b"mail", self.domain, self.key, include_headers=fields) + source
        arrives = self.received + self.changes(source)
        try:
            take(recipient, arrives, sender if self.sender is None else self.sender)
        except NotOurs:
            if self.answer is not None:
                reply = self.answer(source)
                take(_reply_to(source), reply, "you@example.net")
        finally:
            connection.close()


def _reply_to(source: bytes) -> str:
    [line] = [line for line in source.splitlines() if line.lower().startswith(b"reply-to:")]
    return line.partition(b":")[2].strip().decode()


def new_key(bits: int = 2048) -> tuple[bytes, str]:
    """Return a private key, and its record for the DNS."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=bits)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    text = f"v=DKIM1; k=rsa; p={base64.b64encode(public).decode()}"
    return private, " ".join(f'"{text[at : at + 200]}"' for at in range(0, len(text), 200))


@contextmanager
def worker() -> Iterator[None]:
    """Deliver what is due, again and again, as worker and beat do."""
    ended = threading.Event()

    def work() -> None:
        try:
            while not ended.wait(0.05):
                deliver_due()
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def report_of(settings: Any) -> bytes:
    """Return a delivery report (RFC 3464) that the address is unknown."""
    return (
        b"From: mailer-daemon@example.net\r\nTo: x\r\nSubject: failed\r\n"
        b'Content-Type: multipart/report; report-type=delivery-status; boundary="x"\r\n\r\n'
        b"--x\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.net\r\n\r\n"
        b"Final-Recipient: rfc822; you@example.net\r\nAction: failed\r\nStatus: 5.1.1\r\n"
        b"Diagnostic-Code: smtp; 550 5.1.1 no such user here\r\n\r\n--x--\r\n"
    )
