"""One POST request to an address that someone else chose: public hosts only, with one limit for the whole.

No redirect is followed, and nothing of an answer is read but its status and headers.
"""

import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from accounts.push.public_hosts import host_and_port, public_addresses

ANSWERS_WITHIN = 5.0  # seconds for each step of a connection
ENDS_WITHIN = 10.0  # seconds for all of them and for finding the name, however slowly a service answers


@dataclass(frozen=True)
class Answer:
    """The status of an answer, and the seconds after which its service wants to be asked again."""

    status: int
    retry_after: int = 0


@lru_cache(maxsize=1)
def tls() -> ssl.SSLContext:
    """Return the TLS settings that every connection uses."""
    return ssl.create_default_context()


class PublicConnection(http.client.HTTPSConnection):
    """HTTPS connection to a host whose addresses are all public at the moment of connecting."""

    def connect(self) -> None:
        """Connect to the first of the addresses that were checked. Raises NotPublic, or OSError."""
        address = public_addresses(self.host, self.port)[0]
        plain = socket.create_connection((address, self.port), self.timeout)
        self.sock = tls().wrap_socket(plain, server_hostname=self.host, do_handshake_on_connect=False)
        self.sock.do_handshake()


def post_publicly(endpoint: str, data: bytes, headers: Mapping[str, str]) -> Answer:
    """Post the data and return the answer. Raises NotPublic, OSError and HTTPException."""
    host, port = host_and_port(endpoint)
    connection = PublicConnection(host, port, timeout=ANSWERS_WITHIN)
    took_too_long = threading.Event()
    cutter = threading.Timer(ENDS_WITHIN, _cut_connection, [connection, took_too_long])
    cutter.start()
    try:
        parts = urlsplit(endpoint)
        path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        connection.request("POST", path, data, dict(headers))
        answer = connection.getresponse()
        if took_too_long.is_set():  # headers that end because we hung up look like whole ones
            raise TimeoutError("the answer took too long")
        wait = (answer.getheader("Retry-After") or "").strip()
        return Answer(answer.status, int(wait) if wait.isascii() and wait.isdigit() and len(wait) < 6 else 0)
    finally:
        cutter.cancel()
        connection.close()


def _cut_connection(connection: http.client.HTTPConnection, took_too_long: threading.Event) -> None:
    took_too_long.set()
    sock: Any = connection.sock
    if sock is not None:
        with suppress(OSError):
            socket.socket.shutdown(sock, socket.SHUT_RDWR)
