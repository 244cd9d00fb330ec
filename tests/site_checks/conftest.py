"""A site at games.example.org with its DNS, its mail server and its web server, all on this machine."""

from __future__ import annotations

import re
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from django.core.management import call_command

from condottiere_site.site_checks import lookups
from condottiere_site.site_checks.site_facts import SiteFacts, facts_of_settings
from tests.certificates import self_signed
from tests.servers import free_port
from tests.site_checks.nameserver import NameServer
from tests.site_checks.post import Post, new_key

HOST = "games.example.org"
SENDS_FROM = "203.0.113.5"
SERVICE = "9.9.9.9"  # stands for a mail service; nothing connects to it
GOOD_HEADERS = {
    "Content-Type": "text/html",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'self'",
    "Referrer-Policy": "same-origin",
    "Strict-Transport-Security": "max-age=31536000",
}
PAGE = b'<!doctype html><link rel="stylesheet" href="/static/look/site.0123456789ab.css"><h1>Games</h1>'
SHEET = {"Content-Type": 'text/css; charset="utf-8"', "Cache-Control": "max-age=315360000, public, immutable"}

LINE = re.compile(r"^(ok|warning|failed|skipped) +((?:\S+ )+) +(.*(?:\n {20,}.*)*)", re.MULTILINE)

Answers = dict[str, tuple[int, dict[str, str], bytes]]


@pytest.fixture(scope="session")
def signing_key() -> tuple[bytes, str]:
    return new_key()


@pytest.fixture
def nameserver(signing_key: tuple[bytes, str]) -> Iterator[NameServer]:
    server = NameServer(
        {
            (HOST, "A"): ["127.0.0.1"],
            (HOST, "MX"): [f"10 mail.{HOST}."],
            (HOST, "TXT"): ['"something else"', f'"v=spf1 ip4:{SENDS_FROM} -all"'],
            (f"mail.{HOST}", "A"): [SENDS_FROM],
            (f"_dmarc.{HOST}", "TXT"): ['"v=DMARC1; p=none; rua=mailto:dmarc@example.org"'],
            (f"mail._domainkey.{HOST}", "TXT"): [signing_key[1]],
            ("5.113.0.203.in-addr.arpa", "PTR"): [f"mail.{HOST}."],
        }
    )
    yield server
    server.close()


@pytest.fixture
def asked(nameserver: NameServer) -> Iterator[NameServer]:
    """Let every lookup of the test ask this server."""
    with lookups.asking(("127.0.0.1", nameserver.port)):
        yield nameserver


@pytest.fixture
def mailing(settings: Any, signing_key: tuple[bytes, str]) -> Iterator[Post]:
    """The site sends by a mail server on this machine, and mail comes back to it."""
    post, port = Post(key=signing_key[0]), free_port()
    controller = Controller(post, hostname="127.0.0.1", port=port)
    controller.start()
    settings.EMAIL_BACKEND = "accounts.mail.smtp_connection.Smtp"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
    settings.DEFAULT_FROM_EMAIL = f"Games <games@{HOST}>"
    settings.REPLY_ADDRESS, settings.BOUNCE_ADDRESS = f"reply@{HOST}", f"bounces@{HOST}"
    yield post
    controller.stop()


@pytest.fixture
def answers() -> Answers:
    """What the web server answers, by path; tests change it."""
    return {
        "/": (200, dict(GOOD_HEADERS), PAGE),
        "/static/look/site.0123456789ab.css": (200, dict(SHEET), b"body{}"),
    }


@pytest.fixture
def web_server(answers: Answers) -> Iterator[Callable[..., int]]:
    """Start a web server that gives these answers; return its port."""
    servers: list[ThreadingHTTPServer] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = answers.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            pass

    def start(certificate: Path | None = None) -> int:
        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        return int(server.server_address[1])

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def https_site(
    settings: Any, web_server: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., int]:
    """Serve the site by https with a certificate that this machine trusts; return the port."""

    def start(host: str = HOST, *, days: float = 60, is_trusted: bool = True) -> int:
        certificate = self_signed(tmp_path, host, days=days)
        if is_trusted:
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        port = web_server(certificate)
        settings.SITE_URL, settings.SITE_HOST = f"https://{HOST}:{port}", HOST
        return port

    return start


@pytest.fixture
def facts() -> Callable[..., SiteFacts]:
    """Return the facts of the settings as they are now; keywords change them."""
    return lambda **more: replace(facts_of_settings((SENDS_FROM,)), **more)


@pytest.fixture
def lines(nameserver: NameServer) -> Callable[..., dict[str, tuple[str, str]]]:
    """Run the command; return outcome and text of each line, by its name. "exit" has the exit code."""

    def run(*words: str) -> dict[str, tuple[str, str]]:
        out, code = StringIO(), 0
        server = ["--dns-server", f"127.0.0.1:{nameserver.port}"]
        try:
            call_command("check_site", *server, *words, stdout=out, stderr=StringIO())
        except SystemExit as error:
            code = int(str(error.code))
        found = re.findall(
            r"^(ok|warning|failed|skipped) +((?:\S+ )+) +(.*(?:\n {20,}.*)*)", out.getvalue(), re.M
        )
        told = {name.strip(): (outcome, re.sub(r"\s+", " ", text)) for outcome, name, text in found}
        return told | {"exit": (str(code), out.getvalue())}

    return run
