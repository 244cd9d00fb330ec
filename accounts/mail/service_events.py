"""What an event of a mail service means for the email: nothing, it bounced, or its reader wants no more.

It's worked out from the event alone; django-anymail has read each service's own format. When an address is at
fault is the rule of `answers.py`. A service's own verdict counts only where it knows better than the words.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anymail.signals import AnymailTrackingEvent, EventType

from accounts.characters import cut
from accounts.mail.answers import blames_address
from accounts.mail.feedback_reports import COMPLAINTS
from accounts.mail.messages import readable_line
from accounts.mail.suppression import Cause

# The service knows that there is no such address, or it sends nothing there any more, whatever the email.
OF_ADDRESS = frozenset(
    {
        "Permanent: NoEmail",  # Amazon SES
        "Permanent: Suppressed",
        "Permanent: OnAccountSuppressionList",
        "suppress-bounce",  # Mailgun
        "BadEmailAddress",  # Postmark
        "ManuallyDeactivated",
        "invalid_email",  # Brevo
        "blocked",
    }
)
# Mailgun sends nothing to people who did this earlier.
EARLIER = {"suppress-complaint": Cause.COMPLAINT, "suppress-unsubscribe": Cause.UNSUBSCRIBED}
# Postmark: blocked or sorted out by a filter, which django-anymail takes for a complaint.
BY_A_FILTER = "SpamNotification"
NOT_DELIVERED = frozenset({EventType.BOUNCED, EventType.REJECTED, EventType.FAILED})

_PROTOCOL = re.compile(r"\s*(?:smtp|x-[\w-]+)\s*;\s*", re.IGNORECASE)  # of a Diagnostic-Code (RFC 3464)
_LONGEST_WORDS = 500


@dataclass(frozen=True)
class Bounce:
    """An email did not arrive: what the servers said, and whether the address is at fault."""

    words: str
    of_address: bool


def meaning_of(event: AnymailTrackingEvent) -> Bounce | Cause | None:
    """Return what the event means: the email bounced, why its reader wants no more, or None for nothing."""
    verdict = _verdict_in(event)
    if event.event_type == EventType.COMPLAINED and verdict != BY_A_FILTER:
        return Cause.COMPLAINT if _is_complaint(event) else None
    if event.event_type == EventType.UNSUBSCRIBED:
        return Cause.UNSUBSCRIBED if _asked_for(event) else None
    if event.event_type in NOT_DELIVERED or verdict == BY_A_FILTER:
        return EARLIER.get(verdict) or (None if _is_a_change_of_list(event) else _bounce(event, verdict))
    return None


def names_in(event: AnymailTrackingEvent) -> tuple[object, ...]:
    """Return what may name the email: what we sent along, and Amazon's copy of the return path."""
    metadata = event.metadata if isinstance(event.metadata, Mapping) else {}
    mail = _of(event).get("mail")
    return metadata.get("email"), mail.get("source") if isinstance(mail, Mapping) else None


def _bounce(event: AnymailTrackingEvent, verdict: str) -> Bounce:
    said = str(event.mta_response or event.description or verdict)
    words = cut(readable_line(_PROTOCOL.sub("", _with_code(event, said), count=1)), _LONGEST_WORDS)
    return Bounce(words, verdict in OF_ADDRESS or blames_address(words, _status_in(event)))


def _verdict_in(event: AnymailTrackingEvent) -> str:
    """Return the service's own word for what happened."""
    raw = _of(event)
    data = raw.get("event-data")
    if isinstance(data, Mapping):
        return str(data.get("reason") or "")
    if "bounce" in raw:
        return str(event.description or "")
    return str(raw.get("Type") or raw.get("event") or "")


def _is_complaint(event: AnymailTrackingEvent) -> bool:
    """Return whether a reader complained; Amazon also passes on reports that say the opposite."""
    complaint = _of(event).get("complaint")
    kind = complaint.get("complaintFeedbackType") if isinstance(complaint, Mapping) else None
    return kind is None or str(kind).lower() in COMPLAINTS


def _asked_for(event: AnymailTrackingEvent) -> bool:
    """Return whether the reader unsubscribed, and not the operator for them on Postmark's pages."""
    return str(_of(event).get("Origin", "Recipient")) == "Recipient"


def _is_a_change_of_list(event: AnymailTrackingEvent) -> bool:
    """Return whether Postmark only says that it will send nothing more, after an event of its own."""
    return str(_of(event).get("RecordType")) == "SubscriptionChange"


def _with_code(event: AnymailTrackingEvent, said: str) -> str:
    """Return the words with the code of the answer before them, which Mailgun tells apart."""
    data = _of(event).get("event-data")
    status = data.get("delivery-status") if isinstance(data, Mapping) else None
    code = str(status.get("code", "")) if isinstance(status, Mapping) else ""
    return f"{code} {said}" if re.fullmatch(r"[245]\d\d", code) and not said.startswith(code) else said


def _status_in(event: AnymailTrackingEvent) -> str:
    """Return the status (RFC 3463) that Amazon tells apart from the words, or ""."""
    bounce = _of(event).get("bounce")
    found = bounce.get("bouncedRecipients") if isinstance(bounce, Mapping) else None
    first = found[0] if isinstance(found, list) and found else None
    return str(first.get("status") or "") if isinstance(first, Mapping) else ""


def _of(event: AnymailTrackingEvent) -> Mapping[str, Any]:
    return event.esp_event if isinstance(event.esp_event, Mapping) else {}
