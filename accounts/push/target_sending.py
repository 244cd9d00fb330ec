"""Send notifications to targets: check that each is still needed, post it, and keep what came back."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import F
from django.utils import timezone, translation

from accounts.models import known_language
from accounts.push.models import NoticeTarget, TargetNotice
from accounts.push.notice_queue import DELAYS, NoAnswer, NoticeQueue, Post, is_temporary
from accounts.push.public_hosts import NotPublic
from accounts.push.public_requests import Answer, post_publicly
from accounts.push.target_requests import request_for
from accounts.push.target_words import text_for
from accounts.signals import target_switched_off

logger = logging.getLogger(__name__)

MOST_FAILURES = 20  # notifications in a row that a target did not take; then it's switched off
_LONGEST_WAIT = timedelta(hours=1)  # that a service may ask for
Problem = TargetNotice.Problem


def send_due(now: datetime | None = None, is_over: Callable[[], bool] | None = None) -> int:
    """Send the notifications to targets that are due; return how many were accepted."""
    return TargetQueue().send_due(now, is_over)


class TargetQueue(NoticeQueue[TargetNotice]):
    """Notifications to chat services and programs."""

    rows = TargetNotice
    at_once = 6
    most_per_host = 3

    def write(self, row: TargetNotice, now: datetime) -> Post | None:
        """Return what posts the notification."""
        target = row.target
        if target.is_off or not target.user.is_active:
            return None
        with translation.override(known_language(target.user.language)), timezone.override(target.user.zone):
            told = text_for(row)
        if told is None:
            return None
        request = request_for(row, told, now)
        return partial(post_publicly, request.endpoint, request.body, request.headers)

    def record(self, row: TargetNotice, answer: Answer, now: datetime) -> bool:
        """Keep the answer; try again where the service may accept the same later."""
        _keep(row, now, answer=answer.status, problem="")
        if answer.status < 300:
            NoticeTarget.objects.filter(pk=row.target_id).update(failures=0, failed_at=None)
            self.mark_done(row, now)
            return True
        if not is_temporary(answer.status):
            self.mark_done(row, now)
            _count_failure(row.target, now)
            return False
        wait = min(timedelta(seconds=answer.retry_after), _LONGEST_WAIT)
        self._put_off(row, now, {"pk": row.target_id}, max(wait, DELAYS[0]))
        return False

    def record_failure(self, row: TargetNotice, failure: NoAnswer, now: datetime) -> None:
        """Keep why there was no answer, and try again."""
        _keep(row, now, answer=None, problem=_problem(failure))
        if failure.is_final:
            self.mark_done(row, now)
            _count_failure(row.target, now)
        else:
            self._put_off(row, now, {"endpoint__startswith": row.target.origin}, DELAYS[0])

    def _put_off(self, row: TargetNotice, now: datetime, waiting: dict[str, object], wait: timedelta) -> None:
        """Try again later, and let these other targets wait a little, too."""
        NoticeTarget.objects.filter(pk=row.target_id).update(failed_at=now)
        if self.try_later(row, now, wait):
            self.hold_up(waiting, now + wait)
        else:
            _count_failure(row.target, now)


def _problem(failure: NoAnswer) -> Problem:
    if isinstance(failure.error, NotPublic):
        return Problem.NOT_PUBLIC
    return Problem.NO_ANSWER if isinstance(failure.error, OSError) else Problem.BROKEN


def _keep(row: TargetNotice, now: datetime, **found: object) -> None:
    TargetNotice.objects.filter(pk=row.pk).update(tried_at=now, **found)


@transaction.atomic
def _count_failure(target: NoticeTarget, now: datetime) -> None:
    """Count a notification that did not arrive; switch the target off after too many in a row."""
    same = NoticeTarget.objects.filter(pk=target.pk, off_at=None)
    same.update(failures=F("failures") + 1, failed_at=now)
    if same.filter(failures__gte=MOST_FAILURES).update(off_at=now):
        logger.info("target %s is switched off after %s failures", target.pk, MOST_FAILURES)
        target_switched_off.send(NoticeTarget, target=target, now=now)
