"""An email that came back, byte for byte, and what its header fields tell about its way."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from ipaddress import ip_address

import dkim

from accounts.mail.message_parts import parts_of
from condottiere_site.site_checks.lookups import NoDnsAnswer, records

_MOST_SIGNATURES = 5
_TAG = re.compile(r"\s*([a-z]+)\s*=\s*([^;]*)")
_FROM_ADDRESS = re.compile(r"\[(?:IPv6:)?([0-9a-fA-F.:]{2,45})\]")
_FINDING = re.compile(r"\b(spf|dkim|dmarc)\s*=\s*([a-z]+)", re.IGNORECASE)


@dataclass(frozen=True)
class Signature:
    """A DKIM signature: who signed which header fields, and why it isn't valid, or ""."""

    domain: str
    selector: str
    fields: frozenset[str]  # in lower case
    fault: str


@dataclass(frozen=True)
class ReceivedEmail:
    """An email as it came back, and the envelope's sender; "" if that isn't known."""

    source: bytes
    return_path: str

    @property
    def message(self) -> Message:
        """The email, parsed."""
        return message_from_bytes(self.source)

    def signatures(self) -> list[Signature]:
        """Return its signatures, verified with the keys in the DNS. Takes bounded time."""
        written = self.message.get_all("DKIM-Signature", [])[:_MOST_SIGNATURES]
        return [_verified(self.source, index, str(text)) for index, text in enumerate(written)]

    def handed_over_by(self) -> str:
        """Return the public address of the last server that handed it over; "" if it never left here."""
        for text in self.message.get_all("Received", []):
            found = _FROM_ADDRESS.search(re.split(r"\sby\s", str(text), maxsplit=1)[0])
            if found and _is_public(found[1]):
                return found[1]
        return ""

    def findings(self) -> dict[str, str]:
        """Return what the receiving server found of SPF, DKIM and DMARC, if it says so."""
        return _findings(self.message)

    def findings_in_attachment(self) -> dict[str, str]:
        """Return the findings in an email that is attached to this one, as forwarded to the site."""
        return next((found for part in _attached(self.message) if (found := _findings(part))), {})


def _verified(source: bytes, index: int, text: str) -> Signature:
    tags = {name: re.sub(r"\s+", "", value) for name, value in _TAG.findall(text)}
    domain, selector = tags.get("d", "").lower(), tags.get("s", "")
    fields = frozenset(tags.get("h", "").lower().split(":"))
    return Signature(domain, selector, fields, _fault(source, index, f"{selector}._domainkey.{domain}"))


def _fault(source: bytes, index: int, key: str) -> str:
    """Return why a signature isn't valid, in a sentence, or ""."""
    try:
        if not records(key, "TXT"):
            return f"Its key isn't in the DNS: {key} has no TXT record."
        if dkim.DKIM(source).verify(idx=index):
            return ""
    except NoDnsAnswer as error:
        return str(error)
    except dkim.ValidationError as error:
        return f"It doesn't fit the email ({error})."
    except dkim.DKIMException as error:
        return f"It can't be checked ({error})."
    return f"It doesn't fit the key at {key}, or the email was changed on its way."


def _findings(message: Message) -> dict[str, str]:
    text = " ".join(str(field) for field in message.get_all("Authentication-Results", []))
    found: dict[str, str] = {}
    for name, result in _FINDING.findall(text):
        # Of several signatures, one that passes is enough.
        if found.get(name.lower()) != "pass":
            found[name.lower()] = result.lower()
    return found


def _attached(message: Message) -> Iterator[Message]:
    for part in message.walk():
        if part.get_content_type() == "message/rfc822":
            yield from parts_of(part)


def _is_public(text: str) -> bool:
    try:
        return ip_address(text).is_global
    except ValueError:
        return False
