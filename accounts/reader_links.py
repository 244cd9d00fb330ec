"""Links that carry their reader's address."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

from accounts.addresses import absolute_url, normal_address
from accounts.tokens import fingerprint, sign

if TYPE_CHECKING:
    from accounts.mail.models import OutgoingEmail
    from accounts.models import User

SIGN_IN = "sign-in"


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
    """Return a token that names an email's reader, and their address by its hash.

    It names the account, or else the email, whose row knows its address for as long as it is kept.
    """
    kind, column = ("e", "to_address") if hasattr(reader, "to_address") else ("u", "email")
    address = normal_address(getattr(reader, column))
    return sign(purpose, kind, int(reader.pk), fingerprint(address), *more)
