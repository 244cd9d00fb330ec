"""Push services that are slow, or whose names never resolve, hold up no one but their own readers."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest

from accounts.models import User
from accounts.push import notice_queue, public_hosts, public_requests, queueing
from accounts.push.models import Push, PushSubscription
from accounts.push.notice_queue import AT_ONCE, MOST_FAILING
from accounts.push.queueing import Notice
from accounts.push.sending import send_due
from tests.digests.days import Days
from tests.push.services import PushService
from tests.servers import HANGS

pytestmark = pytest.mark.django_db


class Services:
    """What the service was asked, by address: those with "slow" in it are answered once all others were."""

    def __init__(self, service: PushService, others: int) -> None:
        self.order = list[str]()
        self.most_at_once = Counter[str]()
        self._now = Counter[str]()
        self._lock = threading.Lock()
        self._left = others
        self._others_were_asked = threading.Event()
        service.answer = self._answer

    def _answer(self, request: Any) -> None:
        name = request.path.strip("/")
        person = name.partition("-")[0]
        with self._lock:
            self.order.append(name)
            for one in (person, "everyone"):
                self._now[one] += 1
                self.most_at_once[one] = max(self.most_at_once[one], self._now[one])
            self._left -= "slow" not in name
            if self._left <= 0:
                self._others_were_asked.set()
        if "slow" in name:
            self._others_were_asked.wait(HANGS)
        with self._lock:
            self._now[person] -= 1
            self._now["everyone"] -= 1
        request.send_response(201)
        request.send_header("Content-Length", "0")
        request.end_headers()


@pytest.fixture(autouse=True)
def taken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses in the order in which runs take their notifications; each has the same text."""
    found = list[str]()

    def build(push: Push) -> Notice:
        found.append(push.subscription.endpoint.rpartition("/")[2])
        return Notice("Your turn", "/", "")

    monkeypatch.setitem(queueing.BUILDERS, Push.Kind.TURN, build)
    monkeypatch.setattr(public_requests, "ENDS_WITHIN", HANGS)
    monkeypatch.setattr(public_requests, "ANSWERS_WITHIN", HANGS)
    return found


def due(days: Days, service: PushService, person: User, name: str, **columns: Any) -> Push:
    """Return a notification that is due to a browser of this person at this address."""
    person.push_kinds = [Push.Kind.TURN]
    person.save()
    found = {**service.form, "endpoint": f"https://localhost:{service.port}/{name}"}
    browser = PushSubscription.objects.create(user=person, **found, **columns)
    days.now += timedelta(seconds=1)
    return Push.objects.create(subscription=browser, kind="turn", key="1", not_before=days.now)


def people(count: int) -> list[User]:
    return [User.objects.create_user(f"player{number}@example.org") for number in range(count)]


def test_one_persons_slow_services_hold_up_nobody_else(days: Days, service: PushService, anna: User) -> None:
    services = Services(service, others=6)
    for number in range(5):
        due(days, service, anna, f"anna-slow-{number}")
    for number, person in enumerate(people(6)):
        due(days, service, person, f"player{number}")
    assert send_due() == 11
    assert services.most_at_once["anna"] == 1
    assert services.most_at_once["everyone"] > 1
    assert sorted(services.order[:7]) == ["anna-slow-0", *(f"player{number}" for number in range(6))]


def test_two_runs_share_the_people_between_them(days: Days, service: PushService, anna: User) -> None:
    first = due(days, service, anna, "anna-1")
    due(days, service, anna, "anna-2")
    Push.objects.filter(pk=first.pk).update(leased_until=days.now + timedelta(seconds=30))
    services = Services(service, others=0)
    assert send_due() == 0
    assert services.order == []
    days.now += timedelta(minutes=3)  # the other run was killed
    assert send_due() == 2


def test_browsers_that_have_not_failed_come_first(days: Days, service: PushService, taken: list[str]) -> None:
    Services(service, others=3)
    failed = days.now - timedelta(hours=1)
    everyone = people(2 * AT_ONCE)
    for number, person in enumerate(everyone[:AT_ONCE]):
        due(days, service, person, f"failed-{number}", failed_at=failed + timedelta(minutes=number))
    for number, person in enumerate(everyone[AT_ONCE:]):
        due(days, service, person, f"fine-{number}")
    assert send_due() == 2 * AT_ONCE
    assert taken == [f"{kind}-{number}" for kind in ("fine", "failed") for number in range(AT_ONCE)]


def test_failing_services_never_take_all_threads(days: Days, service: PushService) -> None:
    services = Services(service, others=0)
    for number, person in enumerate(people(6)):
        due(days, service, person, f"failing-slow-{number}", failed_at=days.now)
    assert send_due() == 6
    assert services.most_at_once["failing"] <= MOST_FAILING < AT_ONCE


def test_a_run_that_waits_for_an_answer_sends_what_becomes_due(
    days: Days, service: PushService, anna: User, bruno: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notice_queue, "LOOKS_AGAIN", 0.01)
    services = Services(service, others=1)
    due(days, service, anna, "anna-slow")
    later = due(days, service, bruno, "bruno")
    days.now -= timedelta(seconds=1)
    looked = iter(range(1000))
    real = notice_queue.wait

    def wait(*words: Any) -> Any:
        if next(looked) == 2:
            Push.objects.filter(pk=later.pk).update(not_before=days.now)
        return real(*words)

    monkeypatch.setattr(notice_queue, "wait", wait)
    assert send_due() == 2
    assert sorted(services.order) == ["anna-slow", "bruno"]


def test_a_failure_is_remembered_until_the_service_accepts_again(
    days: Days, service: PushService, anna: User, bruno: User
) -> None:
    service.answer = 503
    due(days, service, anna, "anna-1")
    other = due(days, service, bruno, "bruno-1").subscription
    PushSubscription.objects.filter(pk=other.pk).update(endpoint="https://another.example/x")
    Push.objects.filter(subscription=other).delete()
    send_due()
    mine = PushSubscription.objects.get(user=anna)
    assert mine.failed_at == days.now
    other.refresh_from_db()
    assert other.failed_at is None
    service.answer = 201
    days.now += timedelta(minutes=5)
    assert send_due() == 1
    mine.refresh_from_db()
    assert mine.failed_at is None


def test_a_name_that_never_resolves_is_given_up_within_the_time(
    days: Days, service: PushService, anna: User, bruno: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()
    real = public_hosts.socket.getaddrinfo

    def look_up(host: Any, *words: Any, **more: Any) -> Any:
        return released.wait(HANGS) and [] if host == "slow.example.org" else real(host, *words, **more)

    due(days, service, anna, "anna")
    due(days, service, bruno, "bruno")
    mine = PushSubscription.objects.filter(user=anna)
    mine.update(endpoint=f"https://slow.example.org:{service.port}/x")
    monkeypatch.setattr(public_hosts, "RESOLVES_WITHIN", 0.1)
    monkeypatch.setattr(public_hosts.socket, "getaddrinfo", look_up)
    assert send_due() == 1
    assert not released.is_set()
    assert mine.get().failed_at is not None
    assert Push.objects.get(done_at=None).subscription == mine.get()
    released.set()


def test_an_answer_that_never_ends_is_a_failure(
    days: Days, service: PushService, anna: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service that drips headers would otherwise seem to accept, and stay among those that come first."""
    closed = threading.Event()

    def drip(request: Any) -> None:
        request.send_response(201)
        request.flush_headers()
        for _line in range(1000):
            try:
                request.wfile.write(b"X-More: to come\r\n")
            except OSError:
                break
            closed.wait(0.05)
        closed.set()

    service.answer = drip
    push = due(days, service, anna, "anna")
    monkeypatch.setattr(public_requests, "ENDS_WITHIN", 0.5)
    assert send_due() == 0
    assert closed.wait(HANGS)
    push.refresh_from_db()
    assert push.done_at is None
    assert PushSubscription.objects.get(user=anna).failed_at is not None
