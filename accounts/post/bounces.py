"""Reading what comes back: reports (RFC 3464) about letters of ours; everything else is left alone.

What is read here was written by strangers: nothing in it is believed but what became of the one letter its
return path names.
"""

import email
import logging
import re
from dataclasses import dataclass
from email.message import Message

from django.db import transaction

from accounts import present
from accounts.post import failing, fates
from accounts.post.models import Letter
from accounts.post.return_paths import letter_of
from accounts.post.writing import one_line

logger = logging.getLogger(__name__)

MOST_READ = 256 * 1024  # bytes; a report comes first, and the letter it sends back is of no interest
_STATUS = re.compile(r"[245]\.\d{1,3}\.\d{1,3}")
_ARRIVED = frozenset({"delivered", "relayed", "expanded"})
_LONGEST_DIAGNOSTIC = 500


class Unreadable(ValueError):
    """No message at all."""


@dataclass(frozen=True)
class Failure:
    """Why a letter was not delivered: a status of RFC 3463, and the server's own words."""

    status: str
    words: str

    @property
    def is_for_good(self) -> bool:
        """Whether another try would fail as well; else somebody tried for days and gave up."""
        return self.status.startswith("5")

    @property
    def blames_address(self) -> bool:
        """Whether any letter would have come back, and not this one for what it holds or whose it is."""
        about_content = self.status.startswith(("5.6.", "5.7.")) or self.status in {"5.2.3", "5.3.4"}
        about_us = self.status in {"5.1.7", "5.1.8"}
        return self.is_for_good and not about_content and not about_us


def receive(recipient: str, source: bytes) -> bool:
    """Takes one message sent to `recipient`; True if it was news of a letter that came back.

    Raises NotOurs for an address that is no return path of ours, Unreadable for what is no message.
    """
    number = letter_of(recipient)
    failure = failure_told(source)
    if failure is None:
        logger.info("mail to letter %s is no report that it failed: ignored", number)
        return False
    known = _come_back(number, failure)
    logger.info("letter %s came back (%s)%s", number, failure.status, "" if known else ": ignored")
    return known


def failure_told(source: bytes) -> Failure | None:
    """What a message says of a letter that was not delivered; None if it says nothing of the kind."""
    message = _message(source[:MOST_READ])
    if message.get_content_type() != "multipart/report" or not message.is_multipart():
        return None
    told = [block for part in _parts(message) for block in _blocks(part)]
    actions = {_word(block["Action"]) for block in told}
    if actions & _ARRIVED:
        return None
    failed = (_failure(block) for block in told if _word(block["Action"]) == "failed")
    return next((failure for failure in failed if failure is not None), None)


def _message(source: bytes) -> Message:
    try:
        message = email.message_from_bytes(source)
    except (RecursionError, ValueError, LookupError) as error:  # nested without end, or a part like no other
        raise Unreadable("a message that cannot be read") from error
    if not message.keys():
        raise Unreadable("no message")
    return message


def _parts(message: Message) -> list[Message]:
    """The parts of a report; never what it sends back, in which another report could be hidden."""
    payload = message.get_payload()
    return [part for part in payload if isinstance(part, Message)] if isinstance(payload, list) else []


def _blocks(part: Message) -> list[Message]:
    """The blocks of a delivery status that say what was done for a recipient."""
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
    """The first word of a field: comments may follow it."""
    words = str(value or "").lower().split()
    return words[0] if words else ""


def _come_back(number: int, failure: Failure) -> bool:
    """Records it once; False for a letter that is gone, never went, or came back before."""
    with transaction.atomic():
        letter = Letter.objects.filter(pk=number).first()
        if letter is None:
            return False
        blamed = failure.blames_address or failing.keeps_failing(letter)
        return fates.come_back(letter, present.now(), failure.words, address_fails=blamed)
