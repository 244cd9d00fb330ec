"""The address a letter comes back to: one for each letter, signed, so that a bounce names the letter itself.

Only the envelope carries it (RFC 5321, 4.4: the return path); the sender its reader sees stays the same.
"""

import base64
import hmac
import re

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils.crypto import salted_hmac

_SALT = "accounts.post.return_paths"
_SIGNED_BYTES = 10
_ABOUT = re.compile(r"([1-9]\d{0,17})-([a-z2-7]{16})")


class NotOurs(ValueError):
    """No address this site gave a letter to come back to."""


def to_come_back(message: EmailMessage, letter: int) -> EmailMessage:
    """The message with its own return path, where BOUNCE_ADDRESS names one."""
    if settings.BOUNCE_ADDRESS:
        message.extra_headers.setdefault("From", message.from_email)
        message.from_email = return_path(letter)
    return message


def return_path(letter: int) -> str:
    """bounces+<letter>-<signature>@example.org; in small letters, for servers on the way may change them."""
    mailbox, _, domain = settings.BOUNCE_ADDRESS.rpartition("@")
    return f"{mailbox}+{letter}-{_signature(letter)}@{domain}"


def letter_of(address: str) -> int:
    """The letter whose return path this is; raises NotOurs for every other address."""
    mailbox, _, domain = settings.BOUNCE_ADDRESS.lower().rpartition("@")
    given, _, given_domain = address.strip().strip("<>").lower().rpartition("@")
    found = _ABOUT.fullmatch(given.removeprefix(f"{mailbox}+"))
    if not mailbox or given_domain != domain or not given.startswith(f"{mailbox}+") or found is None:
        raise NotOurs("not an address of ours")
    letter = int(found[1])
    if not hmac.compare_digest(_signature(letter), found[2]):
        raise NotOurs("not an address of ours")
    return letter


def _signature(letter: int) -> str:
    digest = salted_hmac(_SALT, str(letter), algorithm="sha256").digest()
    return base64.b32encode(digest[:_SIGNED_BYTES]).decode("ascii").lower()
