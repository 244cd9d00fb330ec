"""Normalized email addresses, and this site's own URLs.

Nothing here may read a request: links are built only from the configured site URL.
"""

from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.core import signing
from django.urls import reverse

_SIGN_IN_SALT = "condottiere.sign-in"


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


def sign_in_path(address: str, path: str) -> str:
    """Return the path of the sign-in page with this address filled in, which then goes on to `path`.

    Readers who are signed in go there directly.
    """
    page = reverse("account_sign_in_for", args=[signing.dumps(address, salt=_SIGN_IN_SALT)])
    return f"{page}?{urlencode({'next': path}, safe='/')}"


def own_page_url(address: str, path: str) -> str:
    """Return the link that an email to this address uses for a page that needs an account."""
    return absolute_url(sign_in_path(address, path))


def address_to_sign_in(token: str) -> str:
    """Return the address that a link fills in; "" for a token this site did not make."""
    try:
        return str(signing.loads(token, salt=_SIGN_IN_SALT))
    except signing.BadSignature:
        return ""


def site_host() -> str:
    """Return this site's host name for Message-ID and List-Id, in ASCII."""
    host = urlsplit(settings.SITE_URL).hostname or "localhost"
    return host.encode("idna").decode("ascii") if not host.isascii() else host
