"""Emails for the tests of delivery: one kind, and a way to queue and deliver at a chosen moment."""

import copy
import socketserver
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from django.conf import settings as django_settings

from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import queue
from tests.mail.builders import GREETING
from tests.mail.moody import Moody
from tests.servers import free_port


@pytest.fixture(autouse=True)
def one_more_kind_of_email(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    templates = copy.deepcopy(django_settings.TEMPLATES)
    templates[0]["DIRS"] = [*templates[0]["DIRS"], Path(__file__).parent / "templates"]
    settings.TEMPLATES = templates
    monkeypatch.setitem(EMAIL_KINDS, "greeting", GREETING)


@pytest.fixture
def greet(db: None) -> Callable[..., OutgoingEmail]:
    """Queue a greeting; keywords go into its context."""
    count = iter(range(1, 10_000))

    def put(
        to: Any = "anna@example.org",
        *,
        key: str = "",
        kind: str = "greeting",
        hold: Any = None,
        **context: Any,
    ) -> OutgoingEmail:
        more = {} if hold is None else {"hold": hold}
        return queue(kind, to=to, key=key or f"greeting-{next(count)}", context=context, **more)

    return put


@pytest.fixture
def moody(settings: Any) -> Any:
    server = Moody()
    port = free_port()
    controller = Controller(server, hostname="127.0.0.1", port=port)
    controller.start()
    settings.EMAIL_BACKEND = "accounts.mail.smtp_connection.Smtp"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
    yield server
    controller.stop()


@pytest.fixture
def refusing_server() -> Iterator[Callable[[str], int]]:
    """Start a server that refuses every client, in its greeting or at AUTH; return its port."""
    servers: list[socketserver.ThreadingTCPServer] = []

    def start(way: str) -> int:
        class Chat(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                self.wfile.write(b"220 ESMTP\r\n" if way == "AUTH" else b"554 5.7.1 No service for you\r\n")
                while line := self.rfile.readline(1000):
                    is_hello = line.upper().startswith(b"EHLO")
                    self.wfile.write(b"250-me\r\n250 AUTH PLAIN\r\n" if is_hello else b"535 5.7.8 no\r\n")

        server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Chat)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        return int(server.server_address[1])

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
