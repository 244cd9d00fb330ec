"""A host that drips its answer holds up no notification to another one."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import pytest

from accounts.models import User
from accounts.push import public_requests
from accounts.push.models import NoticeTarget
from accounts.push.target_sending import TargetQueue, send_due
from accounts.push.targets import add_target, queue_test
from tests.digests.days import MINUTE, Days
from tests.people import all_proven
from tests.push.receivers import DISCORD, Receiver
from tests.servers import HANGS

pytestmark = pytest.mark.django_db

SLOW = "slow.example.org"
SLOW_PEOPLE = 8  # more than a run has threads


def waiting(receiver: Receiver, host: str, people: list[User]) -> None:
    """Let a notification wait for each of these people, all due now."""
    for person in people:
        address = receiver.address(host, f"/{person.pk}")
        target = NoticeTarget(user=person, service="slack", name="S", endpoint=address, kinds=["turn"])
        queue_test(add_target(target))


def everyone(count: int) -> list[User]:
    return all_proven({f"p{number}@example.org": f"P{number}" for number in range(count)})


def test_a_host_that_never_ends_its_answer_holds_up_no_other(
    days: Days, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those at the slow host are due first; its answers go on until all others have arrived."""
    others, arrived, at_once, most = 20, threading.Event(), Counter[str](), Counter[str]()
    lock = threading.Lock()
    monkeypatch.setattr(public_requests, "ENDS_WITHIN", HANGS)
    monkeypatch.setattr(public_requests, "ANSWERS_WITHIN", HANGS)

    def drip(request: Any) -> None:
        with lock:
            at_once[SLOW] += 1
            most[SLOW] = max(most[SLOW], at_once[SLOW])
        request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n")
        while not arrived.wait(0.02):
            request.wfile.write(b"X-More: x\r\n")
        with lock:
            at_once[SLOW] -= 1
        request.wfile.write(b"\r\n")

    def answer(request: Any) -> None:
        request.send_response(204)
        request.end_headers()
        with lock:
            at_once[DISCORD] += 1
            if at_once[DISCORD] == others:
                arrived.set()

    receiver.answers |= {SLOW: drip, DISCORD: answer}
    people = everyone(SLOW_PEOPLE + others)
    waiting(receiver, SLOW, people[:SLOW_PEOPLE])
    days.now += MINUTE
    waiting(receiver, DISCORD, people[SLOW_PEOPLE:])
    send_due()
    assert arrived.is_set()
    assert most[SLOW] == TargetQueue.most_per_host < TargetQueue.at_once
