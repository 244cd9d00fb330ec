"""Normalized email addresses, and this site's own URLs.

Domains are stored as A-labels (xn--mnchen-3ya.example): mail servers compare these, and SMTP sends them. Each
domain has exactly one, so no other reading of its letters can lead an email elsewhere. People type and read
the letters. Nothing here may read a request: links are built only from the configured site URL.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import idna
import regex
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext_lazy as _

from accounts.look_alikes import seen_as
from accounts.normal_forms import normalized

LONGEST_ADDRESS = 254  # as in models.EmailField
_LONGEST_TYPED = 4 * LONGEST_ADDRESS  # longer texts aren't examined
_INVISIBLE = regex.compile(r"[\p{Cf}\p{DI}]")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ATOM = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*", re.ASCII)
_UNSENDABLE = re.compile(r'[\s\x00-\x1f\x7f<>(),;:\[\]\\]|^""@')  # smtp_client.py can't send to these
_NOT_LATIN = regex.compile(r"[^\p{Latin}\p{Common}\p{Inherited}]")


def normal_address(address: str) -> str:
    """Return an email address as it is stored and compared: equal texts are one mailbox.

    Case makes no difference, nor do invisible characters, needless quotes, a dot at the end, and how the
    letters of a domain are encoded (UTS 46, IDNA 2008). Any other text is returned trimmed and in lower case.
    """
    if len(address) > _LONGEST_TYPED:
        return address.strip().lower()
    mailbox, at, domain = _trimmed(address).rpartition("@")
    return f"{_normal_mailbox(mailbox)}{at}{_normal_domain(domain) if at else _lower(domain)}"


def is_address(text: str) -> bool:
    """Return whether this is an email address to which this site can send."""
    address = normal_address(text)
    try:
        validate_email(address)
    except ValidationError:
        return False
    return address.isascii() and len(address) <= LONGEST_ADDRESS and not _UNSENDABLE.search(address)


def check_address(text: str) -> None:
    """Raise ValidationError (one sentence for people) for what is no email address."""
    if not is_address(text):
        raise ValidationError(_("Enter a valid email address."), code="invalid")


def readable_address(address: str) -> str:
    """Return a stored address as people write it: with the letters of its domain, if they do not deceive."""
    mailbox, at, domain = address.rpartition("@")
    readable = f"{mailbox}{at}{'.'.join(map(_readable_label, domain.split('.')))}"
    return readable if normal_address(readable) == address else address


def _trimmed(text: str) -> str:
    seen = [place for place, one in enumerate(text) if not (one.isspace() or _INVISIBLE.match(one))]
    return text[seen[0] : seen[-1] + 1] if seen else ""


def _normal_mailbox(mailbox: str) -> str:
    """Return the part before the @, without invisible characters if that leaves ASCII.

    The site sends to no other mailbox.
    """
    bare = _INVISIBLE.sub("", normalized("NFC", mailbox))
    lower = _lower(bare if bare.isascii() else mailbox)
    quoted = _QUOTED.fullmatch(lower)
    if quoted is None:
        return lower
    inside = re.sub(r"\\(.)", r"\1", quoted[1])
    return inside if _ATOM.fullmatch(inside) else '"' + re.sub(r'(["\\])', r"\\\1", inside) + '"'


def _normal_domain(domain: str) -> str:
    if not domain.isascii():
        try:
            domain = idna.encode(domain, uts46=True).decode("ascii")
        except idna.IDNAError:
            return _lower(domain)  # is_address refuses it
    lower = domain.lower()
    return lower if lower.endswith("..") else lower.removesuffix(".")


def _lower(text: str) -> str:
    return normalized("NFC", normalized("NFC", text).lower())


def _readable_label(label: str) -> str:
    """Return the letters of a part of a domain, unless another script's look like Latin ones."""
    try:
        letters = idna.decode(label)
    except (idna.IDNAError, UnicodeError):
        return label
    return label if seen_as(letters).isascii() and _NOT_LATIN.search(letters) else letters


def absolute_url(path: str) -> str:
    """Return the full URL of a path of this site, built from settings.SITE_URL only.

    Raises ValueError for a path that does not start with a single slash: it could lead elsewhere.
    """
    if not path.startswith("/") or path.startswith("//"):
        raise ValueError(f"not a path of this site: {path!r}")
    return f"{settings.SITE_URL.rstrip('/')}{path}"


def site_host() -> str:
    """Return this site's host name for Message-ID and List-Id; SITE_URL is ASCII."""
    return urlsplit(settings.SITE_URL).hostname or "localhost"
