"""What Discord, Slack, an ntfy server and a program would get: one HTTPS server of this machine for all."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.certificates import self_signed

DISCORD, SLACK, NTFY, PROGRAM = "discord.com", "hooks.slack.com", "ntfy.example.org", "program.example.org"
PATHS = {
    DISCORD: "/api/webhooks/123/a-secret_token",
    SLACK: "/services/T0/B0/asecrettoken",
    NTFY: "/a-secret-topic",
    PROGRAM: "/hook?key=a-secret",
}
SERVICES = {DISCORD: "discord", SLACK: "slack", NTFY: "ntfy", PROGRAM: "webhook"}


@dataclass(frozen=True)
class Got:
    """One request."""

    host: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def told(self) -> Any:
        return json.loads(self.body)


@dataclass
class Receiver:
    """An HTTPS server under every name. `answers` says by host what it answers with, or how; else 204."""

    folder: Path
    got: list[Got] = field(default_factory=list)
    answers: dict[str, int | Callable[[Any], None]] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        certificate = self_signed(self.folder)
        self.context = ssl.create_default_context(cafile=str(certificate))
        self.context.check_hostname = False  # one certificate for all names
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        own.load_cert_chain(certificate)
        self._server.socket = own.wrap_socket(
            self._server.socket, server_side=True, do_handshake_on_connect=False
        )
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def port(self) -> int:
        return int(self._server.server_port)

    def address(self, host: str, path: str = "") -> str:
        """Return the address of this host, by its own path unless another is given."""
        return f"https://{host}:{self.port}{path or PATHS[host]}"

    def form(self, host: str, **more: Any) -> dict[str, Any]:
        """Return what a person enters to add it."""
        return {
            "service": SERVICES[host],
            "endpoint": self.address(host),
            "kinds": ["turn", "reminder", "message"],
            **more,
        }

    def clear(self) -> None:
        self.got.clear()
        self.answers.clear()
        self.headers.clear()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            host = self.headers["Host"].partition(":")[0]
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.got.append(Got(host, self.path, headers, body))
            answer = receiver.answers.get(host, 204)
            if not isinstance(answer, int):
                return answer(self)
            self.send_response(answer)
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            return self.end_headers()

        def log_message(self, *_words: Any) -> None:
            pass

    return Handler
