"""What is wrong with a URL in the settings, and what to do: the rest of a sentence that begins with its name.

No sentence has the value, which may hold a password.
"""

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

_ENCODED = "In a password or a path, write % / ? # [ ] @ as %25 %2F %3F %23 %5B %5D %40."
AT_BEHIND_HOST = f"has an @ behind its host. {_ENCODED}"
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_LONGEST_HOST = 253  # characters (RFC 1035)


def fault_of_url(value: str) -> str:
    """Return what is wrong with any URL; empty if nothing is."""
    try:
        parts = urlsplit(value)
    except ValueError:
        return f"has brackets or signs that no address has. {_ENCODED}"
    if has_at_behind_host(value):
        return AT_BEHIND_HOST
    try:
        _ = parts.port
    except ValueError:
        return "must have a number up to 65535 as its port."
    return "" if _can_be_asked_for(parts.hostname or "") else "has a host with a space, or a dot too many."


def has_at_behind_host(value: str) -> bool:
    """Return whether a password probably has a sign that ends the host."""
    _host, *rest = re.split("[/?#]", value.partition("://")[2], maxsplit=1)
    return any("@" in one for one in rest)


def _can_be_asked_for(host: str) -> bool:
    """Return whether Python can ask the DNS for this name at all."""
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return not re.search(r"\s", host)


def fault_of_site_url(value: str) -> str:
    """Return what is wrong with the site's own URL, which is in links, cookies and certificates."""
    if not re.match("https?://", value):
        return "must begin with https:// or http://, such as https://games.example.org."
    authority, *more = re.split("[/?#]", value.partition("://")[2], maxsplit=1)
    if more:
        return "must end behind its host or port. Leave out the path."
    if "@" in authority:
        return "must have no name or password before its host. Leave out all up to the @."
    if fault := fault_of_url(value):
        return fault
    parts = urlsplit(value)
    if parts.port == 0 or authority.endswith(":"):
        return "must have a number from 1 to 65535 as its port, or no colon."
    return _fault_of_own_host(parts.hostname or "")


def _fault_of_own_host(host: str) -> str:
    if not host.isascii():
        return "must have its host as the DNS has it, with xn-- for letters other than a to z."
    *_before, last = host.split(".")
    if ":" in host or last.isdigit():
        return "" if _is_ip_address(host) else "has no IP address as its host, but looks like one."
    if len(host) > _LONGEST_HOST or not all(map(_LABEL.fullmatch, host.split("."))):
        return (
            "must have a host of letters a to z, digits and hyphens, with single dots between them, "
            "such as https://games.example.org."
        )
    return ""


def _is_ip_address(host: str) -> bool:
    try:
        return not getattr(ip_address(host), "scope_id", None)
    except ValueError:
        return False
