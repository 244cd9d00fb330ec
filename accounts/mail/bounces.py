"""Read bounces: delivery reports (RFC 3464) that come to the return path of an email."""

import logging
import re
from dataclasses import dataclass
from email.message import Message

from django.db import transaction

from accounts import clock
from accounts.mail import delivery_status, suppression
from accounts.mail.messages import BOUNCES, one_line
from accounts.mail.models import OutgoingEmail
from accounts.mail.receiving import inbox

logger = logging.getLogger(__name__)

_STATUS = re.compile(r"[245]\.\d{1,3}\.\d{1,3}")
_ARRIVED = frozenset({"delivered", "relayed", "expanded"})
_LONGEST_DIAGNOSTIC = 500


@dataclass(frozen=True)
class Failure:
    """Reason for a failed delivery: a status code (RFC 3463) and the server's own text."""

    status: str
    words: str

    @property
    def is_for_good(self) -> bool:
        """Whether the failure is permanent. If not, a server on the way gave up after days of retries."""
        return self.status.startswith("5")

    @property
    def blames_address(self) -> bool:
        """Whether any email to this address would bounce, whatever its content or sender."""
        about_content = self.status.startswith(("5.6.", "5.7.")) or self.status in {"5.2.3", "5.3.4"}
        about_us = self.status in {"5.1.7", "5.1.8"}
        return self.is_for_good and not about_content and not about_us


@inbox(BOUNCES, setting="BOUNCE_ADDRESS", count=1)
def take_report(numbers: list[int], message: Message) -> None:
    """Record the failure that a message to an email's return path reports."""
    [number] = numbers
    failure = failure_reported(message)
    if failure is None:
        logger.info("mail to email %s is no report that it failed: ignored", number)
        return
    known = _record_bounce(number, failure)
    logger.info("email %s came back (%s)%s", number, failure.status, "" if known else ": ignored")


def failure_reported(message: Message) -> Failure | None:
    """Return the failure that a message reports, or None if it is not a failure report."""
    if message.get_content_type() != "multipart/report" or not message.is_multipart():
        return None
    blocks = [block for part in _parts(message) for block in _blocks(part)]
    actions = {_word(block["Action"]) for block in blocks}
    if actions & _ARRIVED:
        return None
    failed = (_failure(block) for block in blocks if _word(block["Action"]) == "failed")
    return next((failure for failure in failed if failure is not None), None)


def _parts(message: Message) -> list[Message]:
    """Return the parts of a report, but not the returned email, which could hide another report."""
    payload = message.get_payload()
    return [part for part in payload if isinstance(part, Message)] if isinstance(payload, list) else []


def _blocks(part: Message) -> list[Message]:
    """Return the per-recipient blocks of a delivery status part."""
    if part.get_content_type() != "message/delivery-status":
        return []
    return [block for block in _parts(part) if block["Action"] is not None]


def _failure(block: Message) -> Failure | None:
    found = _STATUS.search(str(block["Status"] or ""))
    if found is None or found[0].startswith("2"):
        return None
    words = str(block["Diagnostic-Code"] or "").partition(";")[2] or found[0]
    return Failure(found[0], _readable(words)[:_LONGEST_DIAGNOSTIC])


def _readable(words: str) -> str:
    return one_line(words.encode("utf-8", "replace").decode("utf-8").replace("\ufffd", "?"))


def _word(value: object) -> str:
    """Return the first word of a field, in lower case; comments may follow it."""
    words = str(value or "").lower().split()
    return words[0] if words else ""


def _record_bounce(number: int, failure: Failure) -> bool:
    """Record a bounce once; return False if the email is gone, was never sent, or has already bounced."""
    with transaction.atomic():
        email = OutgoingEmail.objects.filter(pk=number).first()
        if email is None:
            return False
        blamed = failure.blames_address or suppression.keeps_failing(email)
        return delivery_status.mark_bounced(email, clock.now(), failure.words, address_fails=blamed)
