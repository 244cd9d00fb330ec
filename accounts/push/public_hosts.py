"""Which addresses a push service may have: public ones only, never the operator's own network."""

import socket
import threading
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

RESOLVES_WITHIN = 3.0  # seconds that a request waits for a name
PORT = 443  # every push service's

# All that IANA lists as special, even what it calls globally reachable: no push service is there.
_SPECIAL_IPV4 = tuple(map(IPv4Network, (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16",
    "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
)))  # fmt: skip
_GIVEN_IPV6 = IPv6Network("2000::/3")  # outside of this part, no address belongs to a host of the internet
_SPECIAL_IPV6 = tuple(map(IPv6Network, (
    "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3ffe::/16", "3fff::/20",
)))  # fmt: skip
_ISATAP = 0x5EFE  # before an IPv4 address, in the lower half of an IPv6 one (RFC 5214)


class NotPublic(ValueError):
    """The address is not https, or leads to a network that is not public."""


def is_public(address: str) -> bool:
    """Return whether the whole internet can reach this IP address, and no tunnel leads on to another one."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv4Address):
        return _is_public_ipv4(ip)
    if ip.ipv4_mapped is not None:  # the machine's own way to write an IPv4 address
        return _is_public_ipv4(ip.ipv4_mapped)
    return _is_public_ipv6(ip)


def _is_public_ipv4(ip: IPv4Address) -> bool:
    return not any(ip in network for network in _SPECIAL_IPV4)


def _is_public_ipv6(ip: IPv6Address) -> bool:
    is_special = any(ip in network for network in _SPECIAL_IPV6)
    is_tunnel = int(ip) >> 32 & 0xFDFF_FFFF == _ISATAP
    return ip in _GIVEN_IPV6 and ip.scope_id is None and not is_special and not is_tunnel


def public_addresses(host: str, port: int) -> list[str]:
    """Return the addresses that this name has now. Raises NotPublic if any is not public, and OSError.

    A name that isn't found within RESOLVES_WITHIN is an OSError, too.
    """
    found, errors = list[str](), list[Exception]()

    def look_up() -> None:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found.extend(str(row[4][0]) for row in rows)
        except (OSError, ValueError) as error:  # ValueError: no name can look like this
            errors.append(error)

    thread = threading.Thread(target=look_up, daemon=True)  # a resolver can't be interrupted
    thread.start()
    thread.join(RESOLVES_WITHIN)
    if errors or thread.is_alive():
        raise OSError(f"the name {host} is not found: {errors[0] if errors else 'no answer'}")
    if not found or not all(map(is_public, found)):
        raise NotPublic(f"{host} is not a public host")
    return found


def host_and_port(endpoint: str) -> tuple[str, int]:
    """Return the host and port of a push service's address. Raises NotPublic for anything but plain https."""
    try:
        parts = urlsplit(endpoint)
        host, port = parts.hostname or "", PORT if parts.port is None else parts.port
    except ValueError as error:
        raise NotPublic("not an address") from error
    is_plain = parts.scheme == "https" and host and "@" not in parts.netloc and "[" not in parts.netloc
    if (
        not is_plain
        or port != PORT
        or not endpoint.isascii()
        or not endpoint.isprintable()
        or " " in endpoint
    ):
        raise NotPublic("not an https address")
    return host, port


def require_public(endpoint: str) -> None:
    """Raise NotPublic unless this is an https address of a public host whose name is found soon."""
    host, port = host_and_port(endpoint)
    try:
        public_addresses(host, port)
    except OSError as error:
        raise NotPublic(f"{host} is not a public host") from error
