"""Send due notifications: claim a row, check that it is still needed, encrypt, post, record.

Each push service is contacted at a public address only, for ten seconds at most. A few are contacted at once,
but one at a time for each person, so that slow ones hold up no one else.
"""

import http.client
import json
import logging
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import F
from django.urls import reverse
from django.utils import timezone, translation

from accounts import clock as site_clock
from accounts import tokens
from accounts.models import known_language
from accounts.push.models import LEASE, Push, PushSubscription
from accounts.push.public_hosts import NotPublic, host_and_port, public_addresses
from accounts.push.queueing import BUILDERS, Notice
from accounts.ticks import after_a_tick

logger = logging.getLogger(__name__)

AT_ONCE = 4  # notifications that one run posts
MOST_FAILING = 2  # of those, to browsers whose push service failed last time
LOOKS_AGAIN = 0.5  # seconds after which a run that waits for answers looks for other notifications
ANSWERS_WITHIN = 5.0  # seconds for each step of a connection
ENDS_WITHIN = 10.0  # seconds for all of them and for finding the name, however slowly a service answers
KEPT_BY_SERVICE = timedelta(hours=12)  # for a browser that is offline
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
    Push.objects.filter(created_at__lt=clock() - LASTS).delete()
    accepted, posted = 0, dict[Future[int], Push]()
    with ThreadPoolExecutor(AT_ONCE, "push") as threads:
        while True:
            while len(posted) < AT_ONCE and not is_over() and (push := _claimed(clock(), _failing(posted))):
                if payload := _payload_of(push, clock()):
                    posted[threads.submit(post, push.subscription, payload)] = push
            if not posted:
                return accepted
            for answer in wait(posted, LOOKS_AGAIN, FIRST_COMPLETED).done:
                accepted += _record(posted.pop(answer), answer, clock())


def _failing(posted: Mapping[Future[int], Push]) -> int:
    return sum(push.subscription.failed_at is not None for push in posted.values())


def _claimed(now: datetime, failing: int) -> Push | None:
    """Return the next due notification, claimed by compare-and-set; None if no other is free.

    Browsers whose push service has not failed come first. No one gets two at a time.
    """
    due = Push.objects.due(now).exclude(subscription__user__in=Push.objects.being_sent(now))
    if failing >= MOST_FAILING:
        due = due.filter(subscription__failed_at=None)
    due = due.order_by(F("subscription__failed_at").asc(nulls_first=True), "not_before", "pk")
    for push in due.select_related("subscription__user")[:10]:
        free = Push.objects.due(now).order_by().filter(pk=push.pk, attempts=push.attempts)
        if free.update(leased_until=now + LEASE, attempts=F("attempts") + 1):
            push.attempts += 1
            return push
    return None


def _payload_of(push: Push, now: datetime) -> str:
    """Return what to post; if there is nothing, record that and return ""."""
    try:
        notice = _built(push)
    except Exception:  # builders are other apps' code; one bad row must not stop the rest
        logger.exception("notification %s could not be built", push.pk)
        notice = None
    if notice is None:
        _done(push, now)
        return ""
    return _payload(push, notice)


def _record(push: Push, answer: "Future[int]", now: datetime) -> bool:
    """Record what became of a posted notification; return whether it was accepted."""
    try:
        status = answer.result()
    except NotPublic as error:
        logger.warning("browser %s is forgotten: %s", push.subscription_id, error)
        push.subscription.delete()
        return False
    except (OSError, http.client.HTTPException) as error:
        logger.info("%s did not answer: %s", push.subscription.service, error)
        return _later(push, now)
    except Exception:  # whatever a strange answer or key does to the libraries, the others go on
        logger.exception("notification %s could not be sent", push.pk)
        return _later(push, now)
    return _answered(push, status, now)


def _answered(push: Push, status: int, now: datetime) -> bool:
    if status in _GONE:
        push.subscription.delete()
        return False
    if status in _LATER or status >= 500:
        return _later(push, now)
    if status >= 300:
        logger.warning("%s refused notification %s: %s", push.subscription.service, push.pk, status)
    elif push.subscription.failed_at is not None:
        PushSubscription.objects.filter(pk=push.subscription_id).update(failed_at=None)
    _done(push, now)
    return status < 300


def _built(push: Push) -> Notice | None:
    reader = push.subscription.user
    if not reader.is_active or push.kind not in reader.push_kinds:
        return None
    with translation.override(known_language(reader.language)), timezone.override(reader.zone):
        return BUILDERS[push.kind](push)


def _payload(push: Push, notice: Notice) -> str:
    shown = reverse("push_shown", args=[tokens.sign(SHOWN, push.pk)])
    return json.dumps({"title": notice.title, "path": notice.path, "tag": notice.tag, "shown": shown})


def _done(push: Push, now: datetime) -> bool:
    Push.objects.filter(pk=push.pk, done_at=None).update(done_at=now, leased_until=None)
    return False


def _later(push: Push, now: datetime) -> bool:
    """Try again later, and let everything else for this push service wait too, so that others go first."""
    same_service = PushSubscription.objects.filter(user=push.subscription.user)
    same_service.filter(endpoint__startswith=push.subscription.origin).update(failed_at=now)
    if push.attempts > len(DELAYS):
        return _done(push, now)
    then = now + DELAYS[push.attempts - 1]
    Push.objects.filter(pk=push.pk).update(not_before=then, leased_until=None)
    waiting = Push.objects.filter(done_at=None, not_before__lt=now + DELAYS[0])
    waiting.filter(subscription__endpoint__startswith=push.subscription.origin).update(
        not_before=now + DELAYS[0]
    )
    return False


# One encrypted request (RFC 8291), signed with the site's own key (RFC 8292)


@lru_cache(maxsize=1)
def tls() -> ssl.SSLContext:
    """Return the TLS settings that every connection uses."""
    return ssl.create_default_context()


class PublicConnection(http.client.HTTPSConnection):
    """HTTPS connection to a host whose addresses are all public at the moment of connecting."""

    def connect(self) -> None:
        """Connect to the first of the addresses that were checked. Raises NotPublic, or OSError."""
        address = public_addresses(self.host, self.port)[0]
        plain = socket.create_connection((address, self.port), self.timeout)
        self.sock = tls().wrap_socket(plain, server_hostname=self.host, do_handshake_on_connect=False)
        self.sock.do_handshake()


class _Answer:
    """What pywebpush reads of an answer."""

    def __init__(self, status: int) -> None:
        self.status_code, self.reason, self.text, self.headers = status, "", "", ""


class _Session:
    """What pywebpush posts with; unlike requests it follows no redirect and has one limit for the whole."""

    def post(self, endpoint: str, *, data: bytes, headers: Mapping[str, str], timeout: float) -> _Answer:
        host, port = host_and_port(endpoint)
        connection = PublicConnection(host, port, timeout=timeout)
        cutter = threading.Timer(ENDS_WITHIN, _cut, [connection])
        cutter.start()
        try:
            parts = urlsplit(endpoint)
            path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
            connection.request("POST", path, data, dict(headers))
            return _Answer(connection.getresponse().status)
        finally:
            cutter.cancel()
            connection.close()


def _cut(connection: http.client.HTTPConnection) -> None:
    sock: Any = connection.sock
    if sock is not None:
        with suppress(OSError):
            socket.socket.shutdown(sock, socket.SHUT_RDWR)


def post(browser: PushSubscription, payload: str) -> int:
    """Encrypt and post the payload; return the push service's status. Raises OSError and NotPublic."""
    from py_vapid import Vapid  # these import two HTTP libraries: too slow for every start
    from pywebpush import WebPushException, webpush

    keys = {"p256dh": browser.p256dh, "auth": browser.auth}
    signer = Vapid.from_raw(settings.VAPID_KEY.encode())
    signer.conf["no-strict"] = True  # an operator's address may have a host without a dot
    try:
        answer: Any = webpush(
            {"endpoint": browser.endpoint, "keys": keys},
            payload,
            vapid_private_key=signer,
            vapid_claims={"sub": f"mailto:{settings.OPERATOR_EMAIL}"},
            timeout=ANSWERS_WITHIN,
            ttl=int(KEPT_BY_SERVICE.total_seconds()),
            headers={"urgency": "high"},
            requests_session=_Session(),
        )
    except WebPushException as error:
        if error.status_code is None:
            raise OSError(str(error)) from error
        return int(error.status_code)
    return int(answer.status_code)
