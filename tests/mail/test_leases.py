"""Leases: a living worker keeps its email however slow the server is; a dead or frozen one loses it soon."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from accounts.mail import delivery_status, leases
from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from tests.servers import wait_until

State = OutgoingEmail.State
transactional = pytest.mark.django_db(transaction=True)
once = pytest.mark.once  # SQLite has one writer


def in_a_thread(action: Callable[[], object]) -> threading.Thread:
    def run() -> None:
        action()
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@pytest.fixture
def short_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "LEASE", timedelta(seconds=1.5))
    monkeypatch.setattr(leases, "RENEW_EVERY", 0.2)


@once
@transactional
def test_no_one_else_sends_an_email_while_a_slow_server_thinks_about_it(
    greet: Any, moody: Any, short_leases: None
) -> None:
    moody.slow["anna@example.org"] = 3.5
    email = greet()
    thread = in_a_thread(deliver_due)
    wait_until(lambda: moody.attempts, "the email to be told")
    for _ in range(10):
        assert deliver_due() == 0
        time.sleep(0.25)
    thread.join()
    email.refresh_from_db()
    assert (email.state, email.attempts, moody.attempts) == (State.SENT, 1, 1)


@once
@transactional
def test_a_frozen_worker_loses_its_email_and_its_late_word_counts_no_more(
    greet: Any, moody: Any, short_leases: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "RENEW_EVERY", 60)
    moody.slow["anna@example.org"] = 3.5
    moody.moods = ["554 5.7.1 heard by the frozen one", "250 OK"]
    email = greet()
    frozen = in_a_thread(deliver_due)
    wait_until(lambda: moody.attempts, "the email to be told")
    moody.slow.clear()
    time.sleep(1.6)
    assert deliver_due() == 1
    frozen.join()
    email.refresh_from_db()
    assert (email.state, email.attempts, email.last_error) == (State.SENT, 2, "")
    assert set(moody.message_ids) == {email.message_id}


@pytest.mark.django_db
def test_the_word_of_a_worker_that_lost_its_email_counts_no_more_while_another_sends_it(greet: Any) -> None:
    late, now = greet(), timezone.now()
    assert leases.claim(late, now)
    again = OutgoingEmail.objects.get(pk=late.pk)
    assert leases.claim(again, now + 2 * leases.LEASE)
    delivery_status.close(late, State.FAILED, now, "554 heard by the late one")
    again.refresh_from_db()
    assert (again.state, again.attempts) == (State.QUEUED, 2)


@pytest.mark.django_db
def test_a_lease_written_before_the_clock_was_put_back_holds_no_one_up(greet: Any, moody: Any) -> None:
    email = greet()
    an_hour_ahead = timezone.now() + timedelta(hours=1)
    OutgoingEmail.objects.filter(pk=email.pk).update(leased_until=an_hour_ahead, attempts=1)
    assert deliver_due() == 1


@pytest.mark.django_db
def test_a_killed_workers_email_is_free_within_half_a_minute() -> None:
    assert timedelta(seconds=20) >= leases.LEASE
    assert timedelta(seconds=3 * leases.RENEW_EVERY) <= leases.LEASE
