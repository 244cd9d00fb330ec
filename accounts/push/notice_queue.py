"""What all queues of notifications have in common: leases, threads, and waiting after a failure.

A few notifications are posted at once, but one at a time for each person and not all to one host. So slow
hosts hold up no one else.
"""

import http.client
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic

from django.db.models import F, Model, Q, QuerySet

from accounts import clock as site_clock
from accounts.full_disk import raise_if_full
from accounts.push.models import LEASE, NoticeQuerySet, Row
from accounts.push.public_hosts import NotPublic
from accounts.push.public_requests import Answer
from accounts.row_locks import delete_free, update_free
from accounts.ticks import after_a_tick

logger = logging.getLogger(__name__)

AT_ONCE = 4  # notifications that one run posts
MOST_FAILING = 2  # of those, to receivers whose service failed last time
LOOKS_AGAIN = 0.5  # seconds after which a run that waits for answers looks for other notifications
DELAYS = tuple(timedelta(seconds=seconds) for seconds in (20, 60, 300, 1800, 7200))

Post = Callable[[], Answer]


@dataclass(frozen=True)
class NoAnswer:
    """Why there is no answer: the error, and whether another attempt could have one."""

    error: Exception
    is_final: bool = False


class NoticeQueue(Generic[Row]):
    """A table of notifications, and how they're sent. Each kind of receiver has its own."""

    rows: type[Row]
    at_once = AT_ONCE
    most_per_host = AT_ONCE

    def write(self, row: Row, now: datetime) -> Post | None:
        """Return what posts the notification; None if there's no longer a reason to."""
        raise NotImplementedError

    def record(self, row: Row, answer: Answer, now: datetime) -> bool:
        """Record what the service answered; return whether it accepted."""
        raise NotImplementedError

    def record_failure(self, row: Row, failure: NoAnswer, now: datetime) -> None:
        """Record that there was no answer."""
        raise NotImplementedError

    def send_due(self, now: datetime | None = None, is_over: Callable[[], bool] | None = None) -> int:
        """Send the notifications that are due; return how many were accepted.

        `now` replaces the clock in tests.
        """
        clock = site_clock.now if now is None else lambda: now
        is_over = is_over or after_a_tick()
        delete_free(self._all().filter(created_at__lt=clock() - self.rows.LASTS))
        accepted, posted = 0, dict[Future[Answer], Row]()
        with ThreadPoolExecutor(self.at_once, self.rows.__name__) as threads:
            while True:
                while (
                    len(posted) < self.at_once
                    and not is_over()
                    and (row := self._claim_next(clock(), list(posted.values())))
                ):
                    if post := self._write_safely(row, clock()):
                        posted[threads.submit(post)] = row
                if not posted:
                    return accepted
                for answer in wait(posted, LOOKS_AGAIN, FIRST_COMPLETED).done:
                    accepted += self._record(posted.pop(answer), answer, clock())

    def mark_done(self, row: Row, now: datetime) -> None:
        """Record that nothing more is to be sent."""
        self._all().filter(pk=row.pk, done_at=None).update(done_at=now, leased_until=None)

    def try_later(self, row: Row, now: datetime, wait_at_least: timedelta = DELAYS[0]) -> bool:
        """Put the notification off until the next attempt; return False if that was the last one."""
        if row.attempts > len(DELAYS):
            self.mark_done(row, now)
            return False
        then = now + max(DELAYS[row.attempts - 1], wait_at_least)
        self._all().filter(pk=row.pk).update(not_before=then, leased_until=None)
        return True

    def hold_up(self, waiting: Mapping[str, Any], then: datetime) -> None:
        """Let everything else for these receivers wait too, so that others go first."""
        found = {f"{self.rows.RECEIVER}__{name}": value for name, value in waiting.items()}
        self._all().filter(done_at=None, not_before__lt=then, **found).update(not_before=then)

    def _all(self) -> NoticeQuerySet[Row]:
        rows: Any = self.rows
        found: NoticeQuerySet[Row] = rows.objects.all()
        return found

    def _claim_next(self, now: datetime, posted: list[Row]) -> Row | None:
        """Return the next due notification, claimed by compare-and-set; None if no other is free.

        Receivers whose service has not failed come first. No one gets two at a time.
        """
        receiver = self.rows.RECEIVER
        being_sent = {f"{receiver}__user__in": self._all().being_sent(now)}
        due: QuerySet[Any] = self._all().due(now).exclude(**being_sent)
        if sum(row.receiver.failed_at is not None for row in posted) >= MOST_FAILING:
            due = due.filter(**{f"{receiver}__failed_at": None})
        due = due.exclude(self._of_busy_hosts(posted))
        due = due.order_by(F(f"{receiver}__failed_at").asc(nulls_first=True), "not_before", "pk")
        for row in due.select_related(f"{receiver}__user")[:10]:
            still_due = self._all().due(now).order_by().filter(pk=row.pk, attempts=row.attempts)
            if update_free(still_due, leased_until=now + LEASE, attempts=F("attempts") + 1):
                row.attempts += 1
                claimed: Row = row
                return claimed
        return None

    def _of_busy_hosts(self, posted: list[Row]) -> Q:
        """Return which notifications are for hosts that are asked as often as they may be at once."""
        found = Q(pk=None)
        for origin, count in Counter(row.receiver.origin for row in posted).items():
            if count >= self.most_per_host:
                found |= Q(**{f"{self.rows.RECEIVER}__endpoint__startswith": origin})
        return found

    def _write_safely(self, row: Row, now: datetime) -> Post | None:
        try:
            post = self.write(row, now)
        except Exception as error:  # builders are other apps' code; one bad row must not stop the rest
            raise_if_full(error)
            logger.exception("notification %s could not be built", row.pk)
            post = None
        if post is None:
            self.mark_done(row, now)
        return post

    def _record(self, row: Row, answer: "Future[Answer]", now: datetime) -> bool:
        """Record the result of posting a notification; return whether it was accepted."""
        try:
            return self.record(row, answer.result(), now)
        except NotPublic as error:
            logger.warning("%s is not contacted: %s", _name(row.receiver), error)
            self.record_failure(row, NoAnswer(error, is_final=True), now)
        except (OSError, http.client.HTTPException) as error:
            logger.info("%s did not answer: %s", _name(row.receiver), error)
            self.record_failure(row, NoAnswer(error), now)
        except Exception as error:  # whatever a strange answer or key does to the libraries, the others go on
            raise_if_full(error)
            logger.exception("notification %s could not be sent", row.pk)
            self.record_failure(row, NoAnswer(error), now)
        return False


def _name(receiver: Model) -> str:
    """Return what logs call a receiver: nothing of its address, which is a secret."""
    return f"{receiver._meta.model_name} {receiver.pk}"


def is_temporary(status: int) -> bool:
    """Return whether a service that answers with this status may accept the same later."""
    return status in (408, 429) or status >= 500
