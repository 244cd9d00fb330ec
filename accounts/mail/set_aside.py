"""Received messages that could not be taken: kept for the operator, and tried again if the site is to blame.

What a message does to its reader is the message's fault. It is set aside, so that no other waits for it, and
no mail server returns it to a sender who may be forged.
"""

import hashlib
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from traceback import extract_tb

from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction

from accounts import clock
from accounts.mail.models import LONGEST_MAILBOX, SetAsideMessage
from accounts.mail.own_addresses import NotOurs
from accounts.mail.receiving import MOST_READ, Unreadable, receive

logger = logging.getLogger(__name__)

DELAYS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 480))  # then it is given up
MOST_KEPT = 200
_LONGEST_REASON = 300
_HEAD_SEARCHED = 20_000  # bytes
_FROM = re.compile(rb"^From:([^\r\n]{1,200})", re.MULTILINE | re.IGNORECASE)


class TryLater(Exception):
    """Nothing can be recorded at present, so the message must come again."""


@dataclass(frozen=True)
class _Failure:
    """Why a message could not be taken, and whether this site is to blame."""

    reason: str
    is_ours: bool


def take(recipient: str, source: bytes, sender: str | None = None) -> None:
    """Process one message that was sent to `recipient`, or set it aside; safe to repeat.

    `sender` is that of the envelope, where it is known. Raises NotOurs if the address is not one of this
    site's, TryLater while the database cannot be reached.
    """
    try:
        failure = _try_to_receive(recipient, source, sender)
        if failure is not None:
            _keep_message(recipient, source, sender, failure)
    except DatabaseError as error:
        raise TryLater("the database cannot be reached") from error


def _try_to_receive(recipient: str, source: bytes, sender: str | None) -> _Failure | None:
    """Process a message; return why it could not be taken.

    Raises NotOurs, or DatabaseError while the database cannot be reached.
    """
    try:
        with transaction.atomic():
            receive(recipient, source, sender)
    except NotOurs:
        raise
    except Unreadable as error:
        return _Failure(str(error), is_ours=False)
    except Exception as error:
        if isinstance(error, (OperationalError, InterfaceError)) and not _is_database_there():
            raise
        return _Failure(_describe_error(error), is_ours=True)
    return None


def _is_database_there() -> bool:
    return connection.connection is not None and connection.is_usable()


def _describe_error(error: Exception) -> str:
    """Return an error in one line, with the place where it happened."""
    frames = extract_tb(error.__traceback__, limit=-1)
    place = f" ({frames[0].filename}:{frames[0].lineno})" if frames else ""
    return _make_storable(f"{type(error).__name__}: {error}"[:_LONGEST_REASON] + place)


def _make_storable(text: str) -> str:
    """Return the text as every database can store it: without lone surrogates and null characters."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "?")


def _keep_message(recipient: str, source: bytes, sender: str | None, failure: _Failure) -> None:
    """Keep a message once, however often it comes; delete the oldest of those that are given up."""
    beginning = source[:MOST_READ]
    digest = hashlib.sha256(recipient.lower().encode() + b"\n" + beginning).hexdigest()
    row, is_new = SetAsideMessage.objects.get_or_create(
        digest=digest,
        defaults={
            "recipient": recipient,
            "sender": None if sender is None else _make_storable(sender)[:LONGEST_MAILBOX],
            "source": beginning,
            "reason": failure.reason,
            "next_attempt_at": _next_attempt(1) if failure.is_ours else None,
        },
    )
    if not is_new:
        return
    _log_failure(row, failure)
    given_up = SetAsideMessage.objects.filter(next_attempt_at=None).order_by("-pk")
    SetAsideMessage.objects.filter(pk__in=list(given_up.values_list("pk", flat=True)[MOST_KEPT:])).delete()


def _log_failure(row: SetAsideMessage, failure: _Failure) -> None:
    if row.next_attempt_at is not None:
        logger.warning("message %s was not taken, and is tried again: %s", row.pk, failure.reason)
    elif failure.is_ours:
        logger.error("message %s was not taken, and is set aside: %s", row.pk, failure.reason)
    else:
        logger.info("message %s is set aside: %s", row.pk, failure.reason)


def _next_attempt(attempts: int) -> datetime | None:
    return clock.now() + DELAYS[attempts - 1] if attempts <= len(DELAYS) else None


def written_by(row: SetAsideMessage) -> str:
    """Return whom a message says that it is from; empty if it does not."""
    found = _FROM.search(bytes(row.source)[:_HEAD_SEARCHED])
    return _make_storable(found[1].decode("utf-8", "replace")).strip() if found else ""


def try_again(is_over: Callable[[], bool]) -> int:
    """Process the messages whose next attempt is due; return how many were taken now."""
    taken = 0
    due = SetAsideMessage.objects.filter(next_attempt_at__lte=clock.now()).order_by("next_attempt_at", "pk")
    for pk in list(due.values_list("pk", flat=True)):
        if is_over():
            break
        taken += _try_one(pk)
    return taken


def _try_one(pk: int) -> bool:
    row = _claim_next(pk)
    if row is None:
        return False
    try:
        failure = _try_to_receive(row.recipient, bytes(row.source), row.sender)
    except NotOurs as error:
        failure = _Failure(str(error), is_ours=False)
    if failure is None:
        row.delete()
        return True
    row.reason = failure.reason
    row.next_attempt_at = row.next_attempt_at if failure.is_ours else None
    row.save(update_fields=["reason", "next_attempt_at"])
    _log_failure(row, failure)
    return False


def _claim_next(pk: int) -> SetAsideMessage | None:
    """Return a due row. Its next attempt is planned before, in case the message kills this process."""
    with transaction.atomic():
        rows = SetAsideMessage.objects.select_for_update(skip_locked=True)
        row = rows.filter(pk=pk, next_attempt_at__lte=clock.now()).first()
        if row is not None:
            row.attempts += 1
            row.next_attempt_at = _next_attempt(row.attempts)
            row.save(update_fields=["attempts", "next_attempt_at"])
    return row
