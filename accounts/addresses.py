"""Normalized email addresses, and this site's own URLs.

Nothing here may read a request: links are built only from the configured site URL.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

LONGEST_ADDRESS = 254  # as in models.EmailField


def normal_address(address: str) -> str:
    """Return an email address as it is stored and compared: trimmed, in lower case."""
    return address.strip().lower()


def is_address(text: str) -> bool:
    """Return whether this can be an email address."""
    try:
        validate_email(text)
    except ValidationError:
        return False
    return len(text) <= LONGEST_ADDRESS


def absolute_url(path: str) -> str:
    """Return the full URL of a path of this site, built from settings.SITE_URL only.

    Raises ValueError for a path that does not start with a single slash: it could lead elsewhere.
    """
    if not path.startswith("/") or path.startswith("//"):
        raise ValueError(f"not a path of this site: {path!r}")
    return f"{settings.SITE_URL.rstrip('/')}{path}"


def site_host() -> str:
    """Return this site's host name for Message-ID and List-Id, in ASCII."""
    host = urlsplit(settings.SITE_URL).hostname or "localhost"
    return host.encode("idna").decode("ascii") if not host.isascii() else host
