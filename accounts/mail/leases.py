"""Leases on emails: of several workers, only the one with the lease sends and records."""

import logging
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from datetime import datetime, timedelta
from types import TracebackType
from typing import Self

from django.db import DatabaseError, connection
from django.db.models import F

from accounts.full_disk import cannot_store
from accounts.mail.models import OutgoingEmail, OutgoingEmailQuerySet
from accounts.row_locks import update_free

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=15)  # after this, another worker may take over the row of a worker that died
RENEW_EVERY = 4.0  # seconds
_STOP_WITHIN = 2.0


def claim(email: OutgoingEmail, now: datetime) -> bool:
    """Claim a due row by compare-and-set; of several workers, only one gets the lease, and none waits.

    An email that has been added to since its batch was found is left to the next batch, which reads it again.
    """
    lease = now + LEASE
    as_found = {"pk": email.pk, "attempts": email.attempts, "context": email.context}
    still_due = OutgoingEmail.objects.due(now).order_by().filter(**as_found)
    claimed = update_free(still_due, leased_until=lease, attempts=F("attempts") + 1)
    if claimed:
        email.attempts += 1
        email.leased_until = lease
    return bool(claimed)


def still_due(emails: Collection[OutgoingEmail], now: datetime) -> list[OutgoingEmail]:
    """Return those of these emails that no other run has claimed in between."""
    due = OutgoingEmail.objects.due(now).order_by().filter(pk__in=[email.pk for email in emails])
    free = set(due.values_list("pk", flat=True))
    return [email for email in emails if email.pk in free]


def held(pk: int, attempts: int) -> OutgoingEmailQuerySet:
    """Return the row if this claim is still valid: not claimed again, and nothing recorded."""
    rows = OutgoingEmail.objects.filter(
        pk=pk, state=OutgoingEmail.State.QUEUED, attempts=attempts, leased_until__isnull=False
    )
    assert isinstance(rows, OutgoingEmailQuerySet)
    return rows


class Renewing:
    """Renew the lease of one email at a time, in a thread with its own database connection.

    The thread starts with the first email and ends with the tick. A worker that is killed or frozen renews
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
        """Keep the lease on the email alive inside this context, as long as the process lives."""
        self._email = (email.pk, email.attempts)
        self._start()
        try:
            yield
        finally:
            self._email = None

    def _start(self) -> None:
        if self._thread is None:
            # The context carries the clock, which a simulation may have replaced.
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
        except DatabaseError as error:
            logger.warning("the lease of email %s could not be renewed", pk, exc_info=not cannot_store(error))
            connection.close()
