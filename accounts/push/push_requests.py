"""One encrypted request to a push service (RFC 8291), signed with the site's own key (RFC 8292).

The service is contacted at a public address only, for ten seconds at most.
"""

import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from accounts.push.models import PushSubscription
from accounts.push.public_hosts import host_and_port, public_addresses

ANSWERS_WITHIN = 5.0  # seconds for each step of a connection
ENDS_WITHIN = 10.0  # seconds for all of them and for finding the name, however slowly a service answers
KEPT_BY_SERVICE = timedelta(hours=12)  # for a browser that is offline


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


class _Reply:
    """What pywebpush reads of an answer."""

    def __init__(self, status: int) -> None:
        self.status_code, self.reason, self.text, self.headers = status, "", "", ""


class _PostingSession:
    """What pywebpush posts with; unlike requests it follows no redirect and has one limit for the whole."""

    def post(self, endpoint: str, *, data: bytes, headers: Mapping[str, str], timeout: float) -> _Reply:
        host, port = host_and_port(endpoint)
        connection = PublicConnection(host, port, timeout=timeout)
        took_too_long = threading.Event()
        cutter = threading.Timer(ENDS_WITHIN, _cut_connection, [connection, took_too_long])
        cutter.start()
        try:
            parts = urlsplit(endpoint)
            path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
            connection.request("POST", path, data, dict(headers))
            status = connection.getresponse().status
            if took_too_long.is_set():  # headers that end because we hung up look like whole ones
                raise TimeoutError("the answer took too long")
            return _Reply(status)
        finally:
            cutter.cancel()
            connection.close()


def _cut_connection(connection: http.client.HTTPConnection, took_too_long: threading.Event) -> None:
    took_too_long.set()
    sock: Any = connection.sock
    if sock is not None:
        with suppress(OSError):
            socket.socket.shutdown(sock, socket.SHUT_RDWR)


def post(browser: PushSubscription, payload: str) -> int:
    """Encrypt and post the payload; return the push service's status. Raises OSError and NotPublic."""
    from py_vapid import Vapid  # these import two HTTP libraries: too slow for every start
    from pywebpush import WebPushException, webpush

    keys = {"p256dh": browser.p256dh, "auth": browser.auth}
    signer = Vapid.from_raw(settings.VAPID_KEY.encode())
    signer.conf["no-strict"] = True  # an operator's address may have a host without a dot
    try:
        answer: Any = webpush(
            {"endpoint": browser.endpoint, "keys": keys},
            payload,
            vapid_private_key=signer,
            vapid_claims={"sub": f"mailto:{settings.OPERATOR_EMAIL}"},
            timeout=ANSWERS_WITHIN,
            ttl=int(KEPT_BY_SERVICE.total_seconds()),
            headers={"urgency": "high"},
            requests_session=_PostingSession(),
        )
    except WebPushException as error:
        if error.status_code is None:
            raise OSError(str(error)) from error
        return int(error.status_code)
    return int(answer.status_code)
