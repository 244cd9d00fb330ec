"""Read what comes to the return path of an email: delivery reports (RFC 3464 and others) and complaints."""

import logging
import re
from dataclasses import dataclass
from email.message import Message
from email.utils import parseaddr

from accounts.characters import cut
from accounts.mail.answers import blames_address
from accounts.mail.feedback_reports import email_reported, is_complaint, is_feedback_report
from accounts.mail.message_parts import parts_of
from accounts.mail.messages import readable_line
from accounts.mail.models import OutgoingEmail
from accounts.mail.own_addresses import NotOurs
from accounts.mail.receiving import has_null_sender, inbox, reading
from accounts.mail.reported_outcomes import record_bounce, record_unwanted
from accounts.mail.return_paths import BOUNCES
from accounts.mail.suppression import Cause
from accounts.mail.unstructured_reports import words_of_failure

logger = logging.getLogger(__name__)

_STATUS = re.compile(r"[245]\.\d{1,3}\.\d{1,3}")
_ARRIVED = frozenset({"delivered", "relayed", "expanded"})
_FAILED = frozenset({"failed", "failure", "error"})
_DAEMONS = frozenset({"mailer-daemon", "maildaemon", "mail-daemon", "postmaster"})
_LONGEST_DIAGNOSTIC = 500
_LONGEST_SENDER = 320
FEEDBACK = "feedback"


@dataclass(frozen=True)
class Failure:
    """Reason for a failed delivery: the reported status (RFC 3463), or "", and the server's own text."""

    status: str
    words: str

    @property
    def blames_address(self) -> bool:
        """Whether any email to this address would bounce, whatever its content or sender."""
        return blames_address(self.words, self.status)


@inbox(BOUNCES, setting="BOUNCE_ADDRESS", count=1)
def take_report(numbers: list[int], message: Message) -> None:
    """Record the failure that a message to an email's return path reports."""
    [number] = numbers
    with reading():
        is_feedback = is_feedback_report(message)
        failure = None if is_feedback else failure_reported(message)
        author = _author_of(message)
    if is_feedback:
        _take_feedback(number, message)
        return
    if failure is None:
        logger.info("mail to email %s is no report that it failed: ignored", number)
        return
    known = _record_failure(number, failure, author)
    logger.info(
        "email %s came back (%s)%s", number, failure.status or "no status", "" if known else ": ignored"
    )


@inbox(FEEDBACK, setting="BOUNCE_ADDRESS", count=0, wants=is_feedback_report)
def take_feedback(_numbers: list[int], message: Message) -> None:
    """Record the complaint that a feedback report to the mailbox's own address tells of.

    Raises NotOurs for reports about other senders' emails.
    """
    with reading():
        is_feedback = is_feedback_report(message)
        number = email_reported(message) if is_feedback else None
    if number is not None:
        _take_feedback(number, message)
    elif is_feedback:
        raise NotOurs("feedback about an email of another sender")
    else:
        logger.info("mail to the address for bounces is no feedback: ignored")


def _take_feedback(number: int, report: Message) -> None:
    with reading():
        complains = is_complaint(report)
    known = complains and record_unwanted(number, Cause.COMPLAINT)
    logger.info("feedback about email %s%s", number, ": its reader complains" if known else ": ignored")


def failure_reported(message: Message) -> Failure | None:
    """Return the failure that a message reports, or None if it is not a failure report."""
    # The returned email isn't looked into: it could hide another report.
    is_report = message.get_content_type() == "multipart/report"
    blocks = [block for part in parts_of(message) for block in _recipient_blocks(part)] if is_report else []
    actions = {_first_word_of(block["Action"]) for block in blocks}
    if not actions:
        return _read_unstructured(message) if _has_null_sender(message) else None
    if actions & _ARRIVED:
        return None
    failed = (_read_failure(block) for block in blocks if _first_word_of(block["Action"]) in _FAILED)
    return next((failure for failure in failed if failure is not None), None)


def _read_unstructured(message: Message) -> Failure | None:
    words = words_of_failure(message)
    return None if words is None else Failure("", cut(readable_line(words), _LONGEST_DIAGNOSTIC))


def _has_null_sender(message: Message) -> bool:
    """Return whether the envelope's sender is empty, as of all reports and of few other messages.

    The last mail server records it. Where it didn't, the author in the message decides.
    """
    has_none = has_null_sender(message)
    if has_none is not None:
        return has_none
    author = _author_of(message)
    return (author.rpartition("@")[0] or author) in _DAEMONS


def _author_of(message: Message) -> str:
    return parseaddr(str(message["From"] or "")[:_LONGEST_SENDER])[1].lower()


def _recipient_blocks(part: Message) -> list[Message]:
    """Return the per-recipient blocks of a delivery status part."""
    if part.get_content_type() != "message/delivery-status":
        return []
    return [block for block in parts_of(part) if block["Action"] is not None]


def _read_failure(block: Message) -> Failure | None:
    found = _STATUS.search(str(block["Status"] or ""))
    if found is None or found[0].startswith("2"):
        return None
    kind, separator, diagnostic = str(block["Diagnostic-Code"] or "").partition(";")
    words = (diagnostic if separator else kind).strip() or found[0]
    return Failure(found[0], cut(readable_line(words), _LONGEST_DIAGNOSTIC))


def _first_word_of(value: object) -> str:
    """Return the first word of a field, in lower case; comments may follow it."""
    words = str(value or "").lower().split()
    return words[0] if words else ""


def _record_failure(number: int, failure: Failure, author: str) -> bool:
    """Record a bounce once; return False if the email is gone, was never sent, or has already bounced.

    What the recipient wrote is no report, but an automatic answer that reads like one.
    """
    if not failure.status and OutgoingEmail.objects.filter(pk=number, to_address=author).exists():
        return False
    return record_bounce(number, failure.words, of_address=failure.blames_address)
