"""DNS lookups of bounded time. All of dnspython's users in this process ask the same server."""

from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address

import dns.exception
import dns.resolver
import dns.reversename

ANSWERS_WITHIN = 5.0  # seconds, all tries together
_DNS_PORT = 53


class NoDnsAnswer(Exception):
    """The DNS couldn't be asked, so nothing is known. The text says why in a sentence."""


@contextmanager
def asking(server: tuple[str, int] | None = None) -> Iterator[None]:
    """Ask this DNS server inside the context, or the machine's own. Raises NoDnsAnswer if there is none.

    pyspf and dkimpy ask dnspython's default resolver too.
    """
    before = dns.resolver.default_resolver
    try:
        resolver = dns.resolver.Resolver(configure=server is None)
    except dns.resolver.NoResolverConfiguration as error:
        raise NoDnsAnswer("This machine has no DNS server in /etc/resolv.conf.") from error
    if server is not None:
        resolver.nameservers, resolver.port = [server[0]], server[1]
    resolver.lifetime = ANSWERS_WITHIN
    dns.resolver.default_resolver = resolver
    try:
        yield
    finally:
        dns.resolver.default_resolver = before


def dns_server(text: str) -> tuple[str, int]:
    """Return address and port from text such as 9.9.9.9 or 127.0.0.1:5353. Raises ValueError."""
    address, colon, port = text.rpartition(":") if text.count(":") == 1 else (text, "", "")
    return str(ip_address(address.strip("[]"))), int(port) if colon else _DNS_PORT


def records(name: str, kind: str) -> list[str]:
    """Return the records of this kind as text, none if there are none. Raises NoDnsAnswer."""
    try:
        answer = dns.resolver.resolve(name, kind, search=False)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return []
    except dns.exception.Timeout as error:
        raise NoDnsAnswer(f"No DNS server answered the question for {name} within 5 seconds.") from error
    except dns.exception.DNSException as error:
        raise NoDnsAnswer(f"The DNS gives no answer for {name}: {_first_line(error)}") from error
    if kind == "TXT":
        return [b"".join(record.strings).decode("utf-8", "replace") for record in answer]
    return [record.to_text() for record in answer]


def addresses(name: str) -> list[str]:
    """Return the IPv4 and IPv6 addresses of a name. Raises NoDnsAnswer."""
    return [*records(name, "A"), *records(name, "AAAA")]


def names_of(address: str) -> list[str]:
    """Return the reverse names of an address, without the dot at the end. Raises NoDnsAnswer."""
    reverse = dns.reversename.from_address(address).to_text()
    return [name.rstrip(".") for name in records(reverse, "PTR")]


def mail_servers(domain: str) -> list[str]:
    """Return the names to which mail to this domain goes, best first. "" means that it takes none.

    Raises NoDnsAnswer.
    """
    found = sorted((int(number), name) for number, name in map(str.split, records(domain, "MX")))
    return [name.rstrip(".") for _number, name in found]


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
