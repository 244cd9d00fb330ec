"""Normalized email addresses, and this site's own URLs.

Nothing here may read a request: links are built only from the configured site URL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.urls import reverse

from accounts import tokens

if TYPE_CHECKING:
    from accounts.mail.models import OutgoingEmail
    from accounts.models import User

SIGN_IN = "sign-in"


def normal_address(address: str) -> str:
    """Return an email address as it is stored and compared: trimmed, in lower case."""
    return address.strip().lower()


def absolute_url(path: str) -> str:
    """Return the full URL of a path of this site, built from settings.SITE_URL only.

    Raises ValueError for a path that does not start with a single slash: it could lead elsewhere.
    """
    if not path.startswith("/") or path.startswith("//"):
        raise ValueError(f"not a path of this site: {path!r}")
    return f"{settings.SITE_URL.rstrip('/')}{path}"


def sign_in_path(reader: User | OutgoingEmail, path: str) -> str:
    """Return the path of the sign-in page with the reader's address filled in, which then goes on to `path`.

    The reader is an account, or an email to an address without one. Readers who are signed in go to `path`
    directly.
    """
    page = reverse("account_sign_in_for", args=[recipient_token(SIGN_IN, reader)])
    return f"{page}?{urlencode({'next': path}, safe='/')}"


def own_page_url(reader: User | OutgoingEmail, path: str) -> str:
    """Return the link that an email to this reader uses for a page that needs an account."""
    return absolute_url(sign_in_path(reader, path))


def recipient_token(purpose: str, reader: User | OutgoingEmail, *more: str) -> str:
    """Return a token that names an email's reader, and their address by its fingerprint.

    It names the account, or else the email, whose row knows its address for as long as it is kept.
    """
    kind, column = ("e", "to_address") if hasattr(reader, "to_address") else ("u", "email")
    address = normal_address(getattr(reader, column))
    return tokens.sign(purpose, kind, int(reader.pk), tokens.fingerprint(address), *more)


def site_host() -> str:
    """Return this site's host name for Message-ID and List-Id, in ASCII."""
    host = urlsplit(settings.SITE_URL).hostname or "localhost"
    return host.encode("idna").decode("ascii") if not host.isascii() else host
