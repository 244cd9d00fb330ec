"""Send due notifications: claim a row, check that it is still needed, encrypt, post, record.

Each push service is contacted at a public address only, for ten seconds at most. A few are contacted at once,
but one at a time for each person, so that slow ones hold up no one else.
"""

import http.client
import json
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import datetime, timedelta

from django.db.models import F
from django.urls import reverse
from django.utils import timezone, translation

from accounts import clock as site_clock
from accounts import tokens
from accounts.full_disk import raise_if_full
from accounts.models import known_language
from accounts.push.models import LEASE, Push, PushSubscription
from accounts.push.public_hosts import NotPublic
from accounts.push.push_requests import post
from accounts.push.queueing import BUILDERS, Notice
from accounts.row_locks import delete_free, update_free
from accounts.ticks import after_a_tick

logger = logging.getLogger(__name__)

AT_ONCE = 4  # notifications that one run posts
MOST_FAILING = 2  # of those, to browsers whose push service failed last time
LOOKS_AGAIN = 0.5  # seconds after which a run that waits for answers looks for other notifications
DELAYS = tuple(timedelta(seconds=seconds) for seconds in (20, 60, 300, 1800, 7200))
LASTS = timedelta(days=1)
SHOWN = "push"  # the purpose of tokens by which a browser says that it showed a notification
_GONE = frozenset({404, 410})
_LATER = frozenset({408, 429})


def send_due(now: datetime | None = None, is_over: Callable[[], bool] | None = None) -> int:
    """Send the notifications that are due; return how many were accepted.

    `now` replaces the clock in tests.
    """
    clock = site_clock.now if now is None else lambda: now
    is_over = is_over or after_a_tick()
    delete_free(Push.objects.filter(created_at__lt=clock() - LASTS))
    accepted, posted = 0, dict[Future[int], Push]()
    with ThreadPoolExecutor(AT_ONCE, "push") as threads:
        while True:
            while (
                len(posted) < AT_ONCE
                and not is_over()
                and (push := _claim_next(clock(), _count_failing(posted)))
            ):
                if payload := _build_payload(push, clock()):
                    posted[threads.submit(post, push.subscription, payload)] = push
            if not posted:
                return accepted
            for answer in wait(posted, LOOKS_AGAIN, FIRST_COMPLETED).done:
                accepted += _record(posted.pop(answer), answer, clock())


def _count_failing(posted: Mapping[Future[int], Push]) -> int:
    return sum(push.subscription.failed_at is not None for push in posted.values())


def _claim_next(now: datetime, failing: int) -> Push | None:
    """Return the next due notification, claimed by compare-and-set; None if no other is free.

    Browsers whose push service has not failed come first. No one gets two at a time.
    """
    due = Push.objects.due(now).exclude(subscription__user__in=Push.objects.being_sent(now))
    if failing >= MOST_FAILING:
        due = due.filter(subscription__failed_at=None)
    due = due.order_by(F("subscription__failed_at").asc(nulls_first=True), "not_before", "pk")
    for push in due.select_related("subscription__user")[:10]:
        still_due = Push.objects.due(now).order_by().filter(pk=push.pk, attempts=push.attempts)
        if update_free(still_due, leased_until=now + LEASE, attempts=F("attempts") + 1):
            push.attempts += 1
            return push
    return None


def _build_payload(push: Push, now: datetime) -> str:
    """Return what to post; if there is nothing, record that and return ""."""
    try:
        notice = _build_notice(push)
    except Exception as error:  # builders are other apps' code; one bad row must not stop the rest
        raise_if_full(error)
        logger.exception("notification %s could not be built", push.pk)
        notice = None
    if notice is None:
        _mark_done(push, now)
        return ""
    return _write_payload(push, notice)


def _record(push: Push, answer: "Future[int]", now: datetime) -> bool:
    """Record the result of posting a notification; return whether it was accepted."""
    try:
        status = answer.result()
    except NotPublic as error:
        logger.warning("browser %s is forgotten: %s", push.subscription_id, error)
        push.subscription.delete()
        return False
    except (OSError, http.client.HTTPException) as error:
        logger.info("%s did not answer: %s", push.subscription.service, error)
        return _try_later(push, now)
    except Exception as error:  # whatever a strange answer or key does to the libraries, the others go on
        raise_if_full(error)
        logger.exception("notification %s could not be sent", push.pk)
        return _try_later(push, now)
    return _record_status(push, status, now)


def _record_status(push: Push, status: int, now: datetime) -> bool:
    if status in _GONE:
        push.subscription.delete()
        return False
    if status in _LATER or status >= 500:
        return _try_later(push, now)
    if status >= 300:
        logger.warning("%s refused notification %s: %s", push.subscription.service, push.pk, status)
    elif push.subscription.failed_at is not None:
        PushSubscription.objects.filter(pk=push.subscription_id).update(failed_at=None)
    _mark_done(push, now)
    return status < 300


def _build_notice(push: Push) -> Notice | None:
    reader = push.subscription.user
    if not reader.is_active or push.kind not in reader.push_kinds:
        return None
    with translation.override(known_language(reader.language)), timezone.override(reader.zone):
        return BUILDERS[push.kind](push)


def _write_payload(push: Push, notice: Notice) -> str:
    shown = reverse("push_shown", args=[tokens.sign(SHOWN, push.pk)])
    told: dict[str, object] = {"title": notice.title, "path": notice.path, "tag": notice.tag, "shown": shown}
    if notice.waiting is not None:
        told["waiting"] = notice.waiting
    return json.dumps(told)


def _mark_done(push: Push, now: datetime) -> bool:
    Push.objects.filter(pk=push.pk, done_at=None).update(done_at=now, leased_until=None)
    return False


def _try_later(push: Push, now: datetime) -> bool:
    """Try again later, and let everything else for this push service wait too, so that others go first."""
    same_service = PushSubscription.objects.filter(user=push.subscription.user)
    same_service.filter(endpoint__startswith=push.subscription.origin).update(failed_at=now)
    if push.attempts > len(DELAYS):
        return _mark_done(push, now)
    then = now + DELAYS[push.attempts - 1]
    Push.objects.filter(pk=push.pk).update(not_before=then, leased_until=None)
    waiting = Push.objects.filter(done_at=None, not_before__lt=now + DELAYS[0])
    waiting.filter(subscription__endpoint__startswith=push.subscription.origin).update(
        not_before=now + DELAYS[0]
    )
    return False
