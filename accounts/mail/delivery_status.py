"""What becomes of an email under way: claimed by a lease, then sent, retried or closed."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from datetime import datetime, timedelta
from types import TracebackType
from typing import Self

from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import F, Q
from django.utils.module_loading import import_string

from accounts.mail import suppression
from accounts.mail.models import OutgoingEmail, OutgoingEmailQuerySet

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=15)  # after it the row of a worker that died is anybody's again
RENEW_EVERY = 4.0  # seconds
_STOP_WITHIN = 2.0


def claim(email: OutgoingEmail, now: datetime) -> bool:
    """Compare-and-set: of all who saw the row due, one gets the lease."""
    lease = now + LEASE
    claimed = (
        OutgoingEmail.objects.due(now)
        .order_by()
        .filter(pk=email.pk, attempts=email.attempts)
        .update(leased_until=lease, attempts=F("attempts") + 1)
    )
    if claimed:
        email.attempts += 1
        email.leased_until = lease
    return bool(claimed)


def held(pk: int, attempts: int) -> OutgoingEmailQuerySet:
    """The row while this claim on it stands: nobody has claimed it since, and nothing was recorded."""
    rows = OutgoingEmail.objects.filter(
        pk=pk, state=OutgoingEmail.State.QUEUED, attempts=attempts, leased_until__isnull=False
    )
    assert isinstance(rows, OutgoingEmailQuerySet)
    return rows


class Renewing:
    """Renews the lease of one email at a time, by a thread with a database connection of its own.

    The thread starts with the first email and ends with the tick; a worker that is killed or frozen renews
    nothing, and the row is free after LEASE.
    """

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._email: tuple[int, int] | None = None
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join(_STOP_WITHIN)

    @contextmanager
    def of(self, email: OutgoingEmail) -> Iterator[None]:
        """While this lasts, the lease on the email does not run out, as long as this process lives."""
        self._email = (email.pk, email.attempts)
        self._start()
        try:
            yield
        finally:
            self._email = None

    def _start(self) -> None:
        if self._thread is None:
            # The context carries the clock: a simulation stands for the machine's there.
            run = copy_context().run
            self._thread = threading.Thread(target=run, args=(self._renew,), name="leases", daemon=True)
            self._thread.start()

    def _renew(self) -> None:
        try:
            while not self._ended.wait(RENEW_EVERY):
                if self._email is not None:
                    self._renew_one(*self._email)
        finally:
            connection.close()

    def _renew_one(self, pk: int, attempts: int) -> None:
        try:
            held(pk, attempts).update(leased_until=self._clock() + LEASE)
        except DatabaseError:
            logger.warning("the lease of email %s could not be renewed", pk, exc_info=True)
            connection.close()


# What becomes of an email under way: closed, parked, or given back; and telling whoever asked to know.
#
# Everything is recorded only while the claim stands (leases.py). An email the server has taken is recorded as
# sent whatever else goes wrong, for it must not be sent again.


Watcher = Callable[[OutgoingEmail, datetime], None]

DELAYS = tuple(timedelta(minutes=minutes) for minutes in (1, 2, 5, 15, 60))
# Sooner at first where a connection broke, that to the database too: most breaks are short, and an email
# cut off may have been taken.
DELAYS_AFTER_A_BREAK = (*(timedelta(seconds=seconds) for seconds in (15, 25, 25, 25)), *DELAYS)
LAST_DELAY = timedelta(hours=2)
MOST_ATTEMPTS = 28  # with the delays above: given up after two days
_STATUSES = frozenset(
    {OutgoingEmail.State.SENT, OutgoingEmail.State.FAILED, OutgoingEmail.State.BOUNCED}
)  # others tell nothing new
_LONGEST_ERROR = 1000
_RECORDED_WITHIN = 10.0  # seconds; well inside the lease
_LOOK_AGAIN = 0.5


def close(
    email: OutgoingEmail,
    state: OutgoingEmail.State,
    now: datetime,
    error: str = "",
    *,
    address_fails: bool = False,
) -> bool:
    """The email's fate is known; a secret it carried is forgotten. True if it was sent."""
    sent = state == OutgoingEmail.State.SENT
    email.state, email.last_error = state, error[:_LONGEST_ERROR]
    email.sent_at = now if sent else None
    rows = held(email.pk, email.attempts)
    _insist(lambda: _record_and_tell(email, rows, now, address_fails), sent)
    return sent


def retry_later(
    email: OutgoingEmail, now: datetime, error: str, *, for_server: bool = False, is_brief: bool = False
) -> bool:
    """The email waits longer after each attempt and is given up in the end; never counts as sent.

    With `for_server` it may be the mail server's fault, and the wait ends when that is well again; with
    `is_brief` it is somebody else's fault that is over soon.
    """
    if email.attempts >= MOST_ATTEMPTS:
        return close(email, OutgoingEmail.State.FAILED, now, error)
    delays = DELAYS_AFTER_A_BREAK if for_server or is_brief else DELAYS
    delay = delays[email.attempts - 1] if email.attempts <= len(delays) else LAST_DELAY
    columns = {"waits_for_server": True} if for_server else {}
    _record(email, not_before=now + delay, last_error=error[:_LONGEST_ERROR], **columns)
    return False


def release(email: OutgoingEmail, error: str) -> None:
    """A server that takes nothing is not the email's fault: the attempt does not count."""
    _record(email, attempts=email.attempts - 1, last_error=error[:_LONGEST_ERROR])


def mark_bounced(email: OutgoingEmail, now: datetime, error: str, *, address_fails: bool) -> bool:
    """An email the server had taken came back, once; False if it never went or came back before.

    It may come back before its worker has recorded that it went.
    """
    went = Q(state=OutgoingEmail.State.SENT) | Q(state=OutgoingEmail.State.QUEUED, attempts__gt=0)
    rows = OutgoingEmail.objects.filter(went, pk=email.pk)
    if not rows.exists():
        return False
    email.state, email.last_error = OutgoingEmail.State.BOUNCED, error[:_LONGEST_ERROR]
    return _record_and_tell(email, rows, now, address_fails)


def notify_watcher(email: OutgoingEmail, now: datetime) -> None:
    """Calls who wants to know the fate of emails of this kind, in the transaction that records it.

    He sees the email with its new state; his own failure is logged and changes nothing of the fate.
    """
    name = settings.EMAIL_FATES.get(email.kind)
    if name is None or email.state not in _STATUSES:
        return
    try:
        with transaction.atomic():
            _watcher(name)(email, now)
    except (OperationalError, InterfaceError):
        if not connection.is_usable():
            raise  # it is the database that is gone, and all of this is tried again
        logger.exception("the fate of email %s could not be told", email.pk)
    except Exception:  # another room's code
        logger.exception("the fate of email %s could not be told", email.pk)


def _watcher(name: str) -> Watcher:
    watcher: Watcher = import_string(name)
    return watcher


def _record_and_tell(
    email: OutgoingEmail, rows: OutgoingEmailQuerySet, now: datetime, address_fails: bool
) -> bool:
    """Writes the email's fate if it still is among these rows; what was told is undone if it is not."""
    # Told first, recorded then: rows of games are locked before rows of emails, as everywhere.
    with transaction.atomic():
        notify_watcher(email, now)
        if address_fails:
            suppression.suppress(email, email.last_error, now)
        known = bool(rows.update(leased_until=None, **_columns(email)))
        if not known:
            transaction.set_rollback(True)  # another has claimed it: what we know of it counts no more
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
        columns["about"] = {}
    if email.forgets_address:
        columns |= {"to_address": "", "last_error": ""}
    return columns


def _subject(email: OutgoingEmail) -> dict[str, object]:
    """What the email's reader finds in the list of emails to him, unless it may hold a secret or a name."""
    forgets = email.forgets or email.forgets_address
    return {} if forgets or not email.subject else {"subject": email.subject}


def _record(email: OutgoingEmail, **columns: object) -> bool:
    """Writes what became of the attempt, if the claim still stands."""
    return bool(held(email.pk, email.attempts).update(leased_until=None, **_subject(email), **columns))


def _insist(record: Callable[[], bool], sent: bool) -> bool:
    """Records; what was sent is recorded even if the database goes away and comes back meanwhile."""
    give_up_at = time.monotonic() + _RECORDED_WITHIN
    while True:
        try:
            return record()
        except DatabaseError:
            if not sent or connection.in_atomic_block or time.monotonic() > give_up_at:
                raise
            logger.warning("an email's fate could not be recorded; trying again", exc_info=True)
            connection.close()
            time.sleep(_LOOK_AGAIN)
