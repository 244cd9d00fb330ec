"""Requests to the site as a visitor makes them: by the public address, of bounded time and size."""

import http.client
import socket
import ssl
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from condottiere_site.site_checks.lookups import NoDnsAnswer, addresses
from condottiere_site.site_checks.site_facts import SiteFacts, is_address

ANSWERS_WITHIN = 10.0  # seconds, from the first packet to the last byte
_MOST_READ = 2 * 1024 * 1024  # bytes of one answer
_CHUNK = 64 * 1024
_HEADERS = {"User-Agent": "condottiere-check_site", "Accept-Encoding": "gzip", "Accept": "*/*"}


class NoPage(Exception):
    """The site can't be reached. The text says why in a sentence."""


class NoAddress(NoPage):
    """The site's name leads nowhere."""


class BadCertificate(NoPage):
    """The site's certificate isn't one that browsers trust."""


@dataclass(frozen=True)
class SiteResponse:
    """The answer to a request. `certificate_ends` is a moment in seconds since 1970; None without TLS."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes
    seconds: float
    certificate_ends: float | None

    def header(self, name: str) -> str:
        """Return a header field, or ""."""
        return str(self.headers.get(name, ""))


def get(facts: SiteFacts, path: str = "/", *, plain: bool = False) -> SiteResponse:
    """Return the site's answer; with `plain`, that of plain http next to https. Follows no redirect.

    Raises NoPage.
    """
    begun = time.monotonic()
    encrypts, port = (False, facts.plain_port) if plain else (facts.is_https, facts.port)
    try:
        with _connected(facts, port, encrypts=encrypts) as tcp:
            return _ask(tcp, _host_field(facts, port, encrypts=encrypts), path, begun)
    except ssl.SSLCertVerificationError as error:
        raise BadCertificate(
            f"The certificate of {facts.host} isn't valid: {error.verify_message}."
        ) from error
    except TimeoutError as error:
        raise NoPage(f"{facts.host} doesn't answer within {ANSWERS_WITHIN:.0f} seconds.") from error
    except (OSError, http.client.HTTPException) as error:
        raise NoPage(f"{facts.host}, port {port}, can't be reached: {error}.") from error


def _connected(facts: SiteFacts, port: int, *, encrypts: bool) -> socket.socket:
    tcp = socket.create_connection((_address_of(facts), port), timeout=ANSWERS_WITHIN)
    if not encrypts:
        return tcp
    try:
        return ssl.create_default_context().wrap_socket(tcp, server_hostname=facts.host)
    except OSError:
        tcp.close()
        raise


def _address_of(facts: SiteFacts) -> str:
    """Return an address of the site as the DNS says, not this machine's /etc/hosts.

    Its IPv4 address is preferred, because this machine may have no IPv6.
    """
    if facts.is_at_home or is_address(facts.host):
        return facts.host
    try:
        found = addresses(facts.host)
    except NoDnsAnswer as error:
        raise NoAddress(str(error)) from error
    if not found:
        raise NoAddress(f"{facts.host} has no address.")
    return found[0]


def _host_field(facts: SiteFacts, port: int, *, encrypts: bool) -> str:
    usual = 443 if encrypts else 80
    return (
        urlsplit(facts.url).netloc
        if port == facts.port
        else facts.host + ("" if port == usual else f":{port}")
    )


def _ask(tcp: socket.socket, host: str, path: str, begun: float) -> SiteResponse:
    ends = _certificate_ends(tcp)
    connection = http.client.HTTPConnection(host)
    connection.sock = tcp
    connection.request("GET", path, headers=_HEADERS | {"Host": host, "Connection": "close"})
    response = connection.getresponse()
    body = b""
    while len(body) < _MOST_READ and (chunk := response.read1(_CHUNK)):
        body += chunk
        if time.monotonic() - begun > ANSWERS_WITHIN:
            raise TimeoutError
    return SiteResponse(response.status, response.headers, body, time.monotonic() - begun, ends)


def _certificate_ends(tcp: socket.socket) -> float | None:
    certificate = tcp.getpeercert() if isinstance(tcp, ssl.SSLSocket) else None
    return ssl.cert_time_to_seconds(str(certificate["notAfter"])) if certificate else None
