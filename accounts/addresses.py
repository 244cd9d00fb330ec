"""Addresses: e-mail addresses in their one stored form, and this site's own web addresses.

Nothing here may look at a request: links are built from the configured site address alone.
"""

from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.core import signing
from django.urls import reverse

_SIGN_IN_SALT = "condottiere.sign-in"


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


def sign_in_path(address: str, path: str) -> str:
    """The sign-in page with this address filled in, which goes on to a page; straight there if signed in."""
    page = reverse("account_sign_in_for", args=[signing.dumps(address, salt=_SIGN_IN_SALT)])
    return f"{page}?{urlencode({'next': path}, safe='/')}"


def own_page_url(address: str, path: str) -> str:
    """What an email to this address links to for a page that needs an account."""
    return absolute_url(sign_in_path(address, path))


def address_to_sign_in(token: str) -> str:
    """The address that a link fills in; "" for a token this site did not make."""
    try:
        return str(signing.loads(token, salt=_SIGN_IN_SALT))
    except signing.BadSignature:
        return ""


def site_host() -> str:
    """The host name of this site as it stands in Message-ID and List-Id, in ASCII."""
    host = urlsplit(settings.SITE_URL).hostname or "localhost"
    return host.encode("idna").decode("ascii") if not host.isascii() else host
