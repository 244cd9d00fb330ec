"""A push service on this machine, with TLS and keys of its own: what it gets, and how it answers."""

from __future__ import annotations

import ssl
import threading
from base64 import urlsafe_b64encode
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid

from tests.certificates import self_signed

AUTH = b"sixteen bytes ok"


def in_base64(key: bytes) -> str:
    return urlsafe_b64encode(key).decode().rstrip("=")


class PushService:
    """An HTTPS server that decrypts what it gets, as a browser would, and answers with `answer`."""

    def __init__(self, folder: Path) -> None:
        self.browser = ec.generate_private_key(ec.SECP256R1())
        self.got: list[dict[str, Any]] = []
        self.answer: int | Callable[[Any], None] = 201
        self.asked = 0
        certificate = self_signed(folder)
        self.context = ssl.create_default_context(cafile=str(certificate))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        own.load_cert_chain(certificate)
        self._server.socket = own.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return int(self._server.server_port)

    @property
    def form(self) -> dict[str, str]:
        """What a browser would tell the site of itself."""
        point = self.browser.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        endpoint = f"https://localhost:{self.port}/push/abc?d=1"
        return {"endpoint": endpoint, "p256dh": in_base64(point), "auth": in_base64(AUTH)}

    def take(self, body: bytes, headers: dict[str, str]) -> None:
        payload = http_ece.decrypt(body, private_key=self.browser, auth_secret=AUTH, version="aes128gcm")
        _token, _comma, key = headers["authorization"].removeprefix("vapid t=").partition(",k=")
        assert Vapid.verify(headers["authorization"])
        self.got.append({"payload": payload.decode(), "headers": headers, "key": key})

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(service: PushService) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            service.asked += 1
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if not isinstance(service.answer, int):
                return service.answer(self)
            if service.answer < 300:
                service.take(body, {name.lower(): value for name, value in self.headers.items()})
            self.send_response(service.answer)
            self.send_header("Location", "https://localhost/elsewhere")
            self.send_header("Content-Length", "0")
            return self.end_headers()

        def log_message(self, *_words: Any) -> None:
            pass

    return Handler
