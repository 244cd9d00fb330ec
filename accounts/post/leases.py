"""Who is sending a letter: a lease on its row, renewed while the letter is under way.

A claim counts up the row's attempts; with that count the claim is known again, so that whoever lost his
lease to another can neither renew it nor record anything.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from datetime import datetime, timedelta
from types import TracebackType
from typing import Self

from django.db import DatabaseError, connection
from django.db.models import F

from accounts.post.models import Letter, LetterQuerySet

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=15)  # after it the row of a worker that died is anybody's again
RENEW_EVERY = 4.0  # seconds
_STOP_WITHIN = 2.0


def claim(letter: Letter, now: datetime) -> bool:
    """Compare-and-set: of all who saw the row due, one gets the lease."""
    lease = now + LEASE
    claimed = (
        Letter.objects.due(now)
        .order_by()
        .filter(pk=letter.pk, attempts=letter.attempts)
        .update(leased_until=lease, attempts=F("attempts") + 1)
    )
    if claimed:
        letter.attempts += 1
        letter.leased_until = lease
    return bool(claimed)


def held(pk: int, attempts: int) -> LetterQuerySet:
    """The row while this claim on it stands: nobody has claimed it since, and nothing was recorded."""
    rows = Letter.objects.filter(
        pk=pk, state=Letter.State.QUEUED, attempts=attempts, leased_until__isnull=False
    )
    assert isinstance(rows, LetterQuerySet)
    return rows


class Renewing:
    """Renews the lease of one letter at a time, by a thread with a database connection of its own.

    The thread starts with the first letter and ends with the tick; a worker that is killed or frozen renews
    nothing, and the row is free after LEASE.
    """

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._letter: tuple[int, int] | None = None
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
    def of(self, letter: Letter) -> Iterator[None]:
        """While this lasts, the lease on the letter does not run out, as long as this process lives."""
        self._letter = (letter.pk, letter.attempts)
        self._start()
        try:
            yield
        finally:
            self._letter = None

    def _start(self) -> None:
        if self._thread is None:
            # The context carries the clock: a simulation stands for the machine's there.
            run = copy_context().run
            self._thread = threading.Thread(target=run, args=(self._renew,), name="leases", daemon=True)
            self._thread.start()

    def _renew(self) -> None:
        try:
            while not self._ended.wait(RENEW_EVERY):
                if self._letter is not None:
                    self._renew_one(*self._letter)
        finally:
            connection.close()

    def _renew_one(self, pk: int, attempts: int) -> None:
        try:
            held(pk, attempts).update(leased_until=self._clock() + LEASE)
        except DatabaseError:
            logger.warning("the lease of letter %s could not be renewed", pk, exc_info=True)
            connection.close()
