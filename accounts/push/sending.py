"""Send notifications to browsers: check that each is still needed, encrypt, post, record."""

import json
import logging
from collections.abc import Callable
from datetime import datetime

from django.urls import reverse
from django.utils import timezone, translation

from accounts import tokens
from accounts.models import known_language
from accounts.push.models import Push, PushSubscription
from accounts.push.notice_queue import DELAYS, NoAnswer, NoticeQueue, Post, is_temporary
from accounts.push.public_requests import Answer
from accounts.push.push_requests import post
from accounts.push.queueing import BUILDERS, Notice

logger = logging.getLogger(__name__)

SHOWN = "push"  # the purpose of tokens by which a browser says that it showed a notification
_GONE = frozenset({404, 410})


def send_due(now: datetime | None = None, is_over: Callable[[], bool] | None = None) -> int:
    """Send the notifications to browsers that are due; return how many were accepted."""
    return BrowserQueue().send_due(now, is_over)


class BrowserQueue(NoticeQueue[Push]):
    """Notifications in browsers."""

    rows = Push

    def write(self, row: Push, now: datetime) -> Post | None:
        """Return what encrypts and posts the notification."""
        notice = _build_notice(row)
        if notice is None:
            return None
        browser, payload = row.subscription, _write_payload(row, notice)
        return lambda: Answer(post(browser, payload))

    def record(self, row: Push, answer: Answer, now: datetime) -> bool:
        """Record what the push service answered; forget a browser that it doesn't know any more."""
        if answer.status in _GONE:
            row.subscription.delete()
            return False
        if is_temporary(answer.status):
            self._service_failed(row, now)
            return False
        if answer.status >= 300:
            logger.warning("%s refused notification %s: %s", row.subscription.service, row.pk, answer.status)
        elif row.subscription.failed_at is not None:
            PushSubscription.objects.filter(pk=row.subscription_id).update(failed_at=None)
        self.mark_done(row, now)
        return answer.status < 300

    def record_failure(self, row: Push, failure: NoAnswer, now: datetime) -> None:
        """Try again later; forget a browser whose push service is not public."""
        if failure.is_final:
            row.subscription.delete()
        else:
            self._service_failed(row, now)

    def _service_failed(self, row: Push, now: datetime) -> None:
        """Try again later, and let everything else for this push service wait, so that others go first."""
        origin = row.subscription.origin
        same_service = PushSubscription.objects.filter(user=row.subscription.user)
        same_service.filter(endpoint__startswith=origin).update(failed_at=now)
        if self.try_later(row, now):
            self.hold_up({"endpoint__startswith": origin}, now + DELAYS[0])


def _build_notice(push: Push) -> Notice | None:
    reader = push.reader
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
