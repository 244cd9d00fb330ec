"""Addresses: e-mail addresses in their one stored form, and this site's own web addresses.

Nothing here may look at a request: links are built from the configured site address alone.
"""

from urllib.parse import urlsplit

from django.conf import settings


def normal_address(address: str) -> str:
    """The one form in which an e-mail address is stored and compared: trimmed, lower case."""
    return address.strip().lower()


def absolute_url(path: str) -> str:
    """The full address of a path of this site, built from settings.SITE_URL only.

    Raises ValueError for a path that does not start with a single slash: it could lead elsewhere.
    """
    if not path.startswith("/") or path.startswith("//"):
        raise ValueError(f"not a path of this site: {path!r}")
    return f"{settings.SITE_URL.rstrip('/')}{path}"


def site_host() -> str:
    """The host name of this site as it stands in Message-ID and List-Id, in ASCII."""
    host = urlsplit(settings.SITE_URL).hostname or "localhost"
    return host.encode("idna").decode("ascii") if not host.isascii() else host
