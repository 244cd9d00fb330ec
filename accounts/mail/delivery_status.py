"""Record the status of an email: sent, to be retried, or closed.

Only the worker with a valid claim records anything, and an accepted email must never be sent again.
"""

import logging
import time
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import Q

from accounts.characters import cut
from accounts.full_disk import cannot_store
from accounts.mail import suppression
from accounts.mail.circuit_breaker import PAUSE
from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.failure_reasons import ERROR_OF
from accounts.mail.leases import held
from accounts.mail.models import OutgoingEmail, OutgoingEmailQuerySet
from accounts.mail.suppression import Cause

logger = logging.getLogger(__name__)

DELAYS = tuple(timedelta(minutes=minutes) for minutes in (1, 2, 5, 15, 60))

# Retry sooner after a broken connection, including one to the database. Most breaks are short,
# and an email that was cut off may have been accepted.
DELAYS_AFTER_A_BREAK = (*(timedelta(seconds=seconds) for seconds in (15, 25, 25, 25)), *DELAYS)

# How the stored error of an email begins that could not be built. The site is to blame.
NOT_BUILT = "not built: "

LAST_DELAY = timedelta(hours=2)
MOST_ATTEMPTS = 28  # with the delays above, an email is given up after two days
# on_outcome is not called for other states.
_OUTCOMES = frozenset({OutgoingEmail.State.SENT, OutgoingEmail.State.FAILED, OutgoingEmail.State.BOUNCED})
# Sent, or perhaps: a report may come before the worker has recorded the email as sent.
_WENT = Q(state=OutgoingEmail.State.SENT) | Q(state=OutgoingEmail.State.QUEUED, attempts__gt=0)
_LONGEST_ERROR = 1000
_RECORDED_WITHIN = 10.0  # seconds; well within the lease
_LOOK_AGAIN = 0.5

# Emails that the mail server accepted while nothing could be stored: this process records them before it
# sends anything else, so that none goes out twice.
_accepted: dict[int, OutgoingEmail] = {}


def close(
    email: OutgoingEmail,
    state: OutgoingEmail.State,
    now: datetime,
    error: str = "",
    *,
    address_fails: bool = False,
) -> bool:
    """Record the final state and delete any secret the email carried. Return True if it was sent."""
    sent = state == OutgoingEmail.State.SENT
    email.state, email.last_error = state, cut(error, _LONGEST_ERROR)
    email.sent_at = now if sent else None
    rows = held(email.pk, email.attempts)
    cause = Cause.FAILURE if address_fails else None
    try:
        _insist(lambda: _record_with_outcome(email, rows, now, cause, email.last_error), sent)
    except DatabaseError as error:
        if sent and cannot_store(error):
            _accepted[email.pk] = email
        raise
    return sent


def is_accepted(email: OutgoingEmail) -> bool:
    """Return whether this process knows that the mail server has accepted this email."""
    return email.pk in _accepted


def record_late(now: datetime) -> None:
    """Record what was accepted while nothing could be stored. Raises DatabaseError if that is still so."""
    for email in list(_accepted.values()):
        _record_with_outcome(email, held(email.pk, email.attempts), now, None, "")
        _accepted.pop(email.pk, None)


def retry_later(
    email: OutgoingEmail, now: datetime, error: str, *, for_server: bool = False, is_brief: bool = False
) -> bool:
    """Schedule another try after a growing delay, or give up after MOST_ATTEMPTS. Always returns False.

    With `for_server` the mail server may be at fault, and the wait ends when it recovers. With `is_brief`
    the cause is something else that is over soon, so the first delays are shorter.
    """
    if email.attempts >= MOST_ATTEMPTS:
        return close(email, OutgoingEmail.State.FAILED, now, error)
    delays = DELAYS_AFTER_A_BREAK if for_server or is_brief else DELAYS
    delay = delays[email.attempts - 1] if email.attempts <= len(delays) else LAST_DELAY
    columns = {"waits_for_server": True} if for_server else {}
    _record(email, not_before=now + delay, last_error=cut(error, _LONGEST_ERROR), **columns)
    return False


def release(email: OutgoingEmail, error: str) -> None:
    """Release the claim without counting the attempt, because the failing server is to blame."""
    _record(email, attempts=email.attempts - 1, last_error=cut(error, _LONGEST_ERROR))


def put_back(email: OutgoingEmail, now: datetime, error: str) -> None:
    """Release the claim behind all emails that are due, because the server refuses everyone.

    One attempt stays counted, so that the email is known to be late.
    """
    _record(
        email,
        attempts=max(1, email.attempts - 1),
        not_before=now + PAUSE,
        refusal=OutgoingEmail.Refusal.WAITED,
        last_error=cut(error, _LONGEST_ERROR),
    )


def mark_bounced(email: OutgoingEmail, now: datetime, error: str, *, address_fails: bool) -> bool:
    """Record that an accepted email bounced; return False if it was never sent or has already bounced."""
    rows = OutgoingEmail.objects.filter(_WENT, pk=email.pk)
    if not rows.exists():
        return False
    email.state, email.last_error = OutgoingEmail.State.BOUNCED, cut(error, _LONGEST_ERROR)
    cause = Cause.FAILURE if address_fails else None
    return _record_with_outcome(email, rows, now, cause, email.last_error)


def mark_unwanted(email: OutgoingEmail, now: datetime, cause: Cause) -> bool:
    """Record that the reader of an email wants no more; return False if it was never sent or this is known.

    An email that bounced can still be marked as spam: the one says nothing about the other.
    """
    went = _WENT | Q(state=OutgoingEmail.State.BOUNCED)
    known = [ERROR_OF[stronger] for stronger in Cause if cause in stronger.weaker]
    rows = OutgoingEmail.objects.filter(went, pk=email.pk).exclude(last_error__in=known)
    if not rows.exists():
        return False
    email.state, email.last_error = OutgoingEmail.State.BOUNCED, ERROR_OF[cause]
    return _record_with_outcome(email, rows, now, cause, "")


def overtake_queued() -> None:
    """Close all queued emails but those that ask their reader something, after a restore.

    They were queued before the backup, so they have left long ago or are about what is past. An email that
    asks is built again before it's sent, and not sent if it was answered.
    """
    asking = [name for name, kind in EMAIL_KINDS.items() if kind.asks]
    queued = OutgoingEmail.objects.filter(state=OutgoingEmail.State.QUEUED).exclude(kind__in=asking)
    queued.filter(forgets=True).update(context={})
    queued.filter(forgets_address=True).update(to_address="", last_error="")
    queued.update(state=OutgoingEmail.State.OVERTAKEN, leased_until=None)


class OutcomeFailed(Exception):
    """Raised from an error in on_outcome, which is another app's code."""


def call_on_outcome(email: OutgoingEmail, now: datetime) -> None:
    """Call on_outcome of this kind of email, in the transaction that records the state.

    It sees the email with its new state. Raises OutcomeFailed for any error in it.
    """
    kind = EMAIL_KINDS.get(email.kind)
    if kind is None or kind.on_outcome is None or email.state not in _OUTCOMES:
        return
    try:
        kind.on_outcome(email, now)
    except Exception as error:
        raise OutcomeFailed from error


def _record_with_outcome(
    email: OutgoingEmail, rows: OutgoingEmailQuerySet, now: datetime, cause: Cause | None, reason: str
) -> bool:
    """Record the email's state if it is still among these rows; if not, undo what on_outcome did.

    With a `cause`, its address is suppressed. An error in on_outcome is logged and changes nothing else.
    """
    try:
        return _record_state(email, rows, now, cause, reason, calls_on_outcome=True)
    except OutcomeFailed as failed:
        error = failed.__cause__
        if isinstance(error, OperationalError | InterfaceError) and (
            cannot_store(error) or not connection.is_usable()
        ):
            raise error from None  # everything is tried again
        logger.exception("the outcome of email %s could not be handled", email.pk)
    return _record_state(email, rows, now, cause, reason, calls_on_outcome=False)


def _record_state(
    email: OutgoingEmail,
    rows: OutgoingEmailQuerySet,
    now: datetime,
    cause: Cause | None,
    reason: str,
    *,
    calls_on_outcome: bool,
) -> bool:
    """Record the email's state and its outcome in one transaction."""
    # on_outcome runs first: game rows are locked before email rows everywhere.
    with transaction.atomic():
        if calls_on_outcome:
            call_on_outcome(email, now)
        if cause is not None:
            suppression.suppress(email, cause, reason, now)
        known = bool(rows.update(leased_until=None, **_columns(email)))
        if not known:
            transaction.set_rollback(True)  # another worker has claimed it, so this result no longer counts
    return known


def _columns(email: OutgoingEmail) -> dict[str, object]:
    columns: dict[str, object] = {
        "state": email.state,
        "sent_at": email.sent_at,
        "to_address": email.to_address,
        "last_error": email.last_error,
        **_subject(email),
    }
    if email.forgets:
        columns["context"] = {}
    if email.forgets_address:
        columns |= {"to_address": "", "last_error": ""}
    return columns


def _subject(email: OutgoingEmail) -> dict[str, object]:
    """Return the subject for the reader's list of emails, unless it may hold a secret or a name."""
    forgets = email.forgets or email.forgets_address
    return {} if forgets or not email.subject else {"subject": email.subject}


def _record(email: OutgoingEmail, **columns: object) -> bool:
    """Record the result of the attempt if the claim is still valid."""
    return bool(held(email.pk, email.attempts).update(leased_until=None, **_subject(email), **columns))


def _insist(record: Callable[[], bool], sent: bool) -> bool:
    """Call `record`; retry for a sent email if the database connection is lost for a short time."""
    give_up_at = time.monotonic() + _RECORDED_WITHIN
    while True:
        try:
            return record()
        except DatabaseError as error:
            if not sent or cannot_store(error) or connection.in_atomic_block or time.monotonic() > give_up_at:
                raise
            logger.warning("an email's outcome could not be recorded; trying again", exc_info=True)
            connection.close()
            time.sleep(_LOOK_AGAIN)
