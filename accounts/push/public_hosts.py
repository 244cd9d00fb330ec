"""Which addresses a push service may have: public ones only, never the operator's own network."""

import socket
import threading
from ipaddress import IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

RESOLVES_WITHIN = 3.0  # seconds that a request waits for a name
_TRANSLATED = IPv6Network("64:ff9b::/96")  # an IPv4 address inside an IPv6 one (RFC 6052)


class NotPublic(ValueError):
    """The address is not https, or leads to a network that is not public."""


def is_public(address: str) -> bool:
    """Return whether the whole internet can reach this IP address."""
    ip = ip_address(address)
    if isinstance(ip, IPv6Address):
        if ip.ipv4_mapped is not None:
            ip = ip.ipv4_mapped
        elif ip.sixtofour or ip.teredo or ip in _TRANSLATED:
            return False
    return ip.is_global and not ip.is_multicast


def public_addresses(host: str, port: int) -> list[str]:
    """Return the addresses that this name has now. Raises NotPublic if any is not public, and OSError."""
    found = [str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    if not found or not all(map(is_public, found)):
        raise NotPublic(f"{host} is not a public host")
    return found


def host_and_port(endpoint: str) -> tuple[str, int]:
    """Return the host and port of a push service's address. Raises NotPublic for anything but plain https."""
    try:
        parts = urlsplit(endpoint)
        host, port = parts.hostname or "", parts.port or 443
    except ValueError as error:
        raise NotPublic("not an address") from error
    is_plain = parts.scheme == "https" and host and "@" not in parts.netloc and "[" not in parts.netloc
    if not is_plain or not endpoint.isascii() or not endpoint.isprintable() or " " in endpoint:
        raise NotPublic("not an https address")
    return host, port


def require_public(endpoint: str) -> None:
    """Raise NotPublic unless this is an https address of a public host whose name is found soon."""
    host, port = host_and_port(endpoint)
    found = list[str]()

    def look_up() -> None:
        try:
            found.extend(public_addresses(host, port))
        except (OSError, ValueError):
            return  # nothing found says it all

    thread = threading.Thread(target=look_up, daemon=True)  # a resolver that hangs must not hold a request
    thread.start()
    thread.join(RESOLVES_WITHIN)
    if not found:
        raise NotPublic(f"{host} is not a public host")
