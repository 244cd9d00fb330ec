"""Mail servers that hang, fail and recover: which emails wait, and how soon everything is sent."""

import socket
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from accounts.mail import smtp_connection
from accounts.mail.circuit_breaker import PAUSE
from accounts.mail.delivery import deliver_due
from accounts.mail.models import MailServerHealth, OutgoingEmail
from tests.servers import wait_until

pytestmark = pytest.mark.django_db

State = OutgoingEmail.State
SOON = timedelta(seconds=25)  # with a tick every second: out within 30 seconds


def after(**time: float) -> Any:
    return timezone.now() + timedelta(**time)


class Silent:
    """A server that accepts connections and never answers."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.callers: list[socket.socket] = []
        threading.Thread(target=self._take, daemon=True).start()

    def _take(self) -> None:
        while True:
            try:
                self.callers.append(self.socket.accept()[0])
            except OSError:
                return

    def close(self) -> None:
        self.socket.close()
        for caller in self.callers:
            caller.close()


@pytest.fixture
def silent() -> Iterator[Silent]:
    server = Silent()
    yield server
    server.close()


def test_a_server_that_never_greets_is_asked_by_one_tick_in_a_while(
    greet: Any, settings: Any, smtp_sink: Any, silent: Silent
) -> None:
    emails = [greet() for _ in range(3)]
    working, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = settings.EMAIL_PORT, silent.port, 0.3
    for _ in range(5):
        assert deliver_due() == 0
    assert len(silent.callers) == 1
    assert deliver_due(timezone.now() + PAUSE) == 0
    assert len(silent.callers) == 2
    assert set(OutgoingEmail.objects.values_list("attempts", "state")) == {(0, State.QUEUED)}
    settings.EMAIL_PORT = working
    assert deliver_due(timezone.now() + SOON) == len(emails)
    assert not MailServerHealth.objects.exists()


def test_emails_broken_off_by_a_failing_server_go_at_once_when_it_is_well(greet: Any, moody: Any) -> None:
    names = [f"player{number}@example.org" for number in range(5)]
    for name in names:
        greet(name)
    moody.moods = ["hang up"] * 10
    now = timezone.now()
    for second in range(9):
        deliver_due(now + timedelta(seconds=second))
    assert OutgoingEmail.objects.filter(waits_for_server=True).count() == 3  # then it was let alone
    assert MailServerHealth.objects.get().failing_since is not None
    moody.moods = []
    assert deliver_due(now + timedelta(seconds=9) + SOON) == 5
    assert sorted(moody.taken) == names


@pytest.mark.long
def test_the_first_email_that_goes_calls_for_those_that_had_long_to_wait(greet: Any, moody: Any) -> None:
    for _ in range(3):
        greet()
    moody.moods = ["hang up"] * 1000
    now = timezone.now()
    for second in range(0, 900, 5):
        deliver_due(now + timedelta(seconds=second))
    end = now + timedelta(seconds=900)
    assert not OutgoingEmail.objects.filter(not_before__lt=end + timedelta(seconds=40)).exists()
    moody.moods = []
    OutgoingEmail.objects.filter(pk=greet("bruno@example.org").pk).update(not_before=end)
    assert deliver_due(end + SOON) == 4


def test_an_email_cut_off_after_it_was_told_is_not_told_again_at_once(greet: Any, moody: Any) -> None:
    greet("anna@example.org")
    second = greet("bruno@example.org")
    moody.moods = ["250 OK", "hang up"]
    assert deliver_due() == 1
    second.refresh_from_db()
    assert (moody.attempts, second.attempts, second.state) == (2, 1, State.QUEUED)
    assert second.not_before > after(seconds=10)


def test_an_email_that_breaks_every_connection_keeps_its_ladder_while_others_go(
    greet: Any, moody: Any
) -> None:
    email = greet("poison@example.org")
    moody.cuts.add("poison@example.org")
    now = timezone.now()
    for minute in range(9):
        greet("bruno@example.org")
        deliver_due(now + timedelta(minutes=minute))
        deliver_due(now + timedelta(minutes=minute, seconds=11))
    email.refresh_from_db()
    assert email.attempts == 7  # four at one tick after the other, then after 1, 2 and now 5 minutes
    assert email.not_before == now + timedelta(minutes=7 + 5)
    assert moody.taken == ["bruno@example.org"] * 9


def test_an_email_the_server_puts_off_keeps_its_own_ladder(greet: Any, moody: Any) -> None:
    moody.moods = ["451 4.3.0 disk full"] * 4
    for _ in range(4):
        greet()
    assert deliver_due() == 0
    assert not MailServerHealth.objects.exists()
    assert deliver_due(after(seconds=50)) == 0
    assert deliver_due(after(seconds=70)) == 4


@pytest.mark.once  # SQLite has one writer
@pytest.mark.django_db(transaction=True)
@pytest.mark.long
def test_an_email_the_server_is_slow_about_holds_up_no_other(greet: Any, moody: Any) -> None:
    moody.slow["slow@example.org"] = 4.0
    greet("slow@example.org")
    for number in range(5):
        greet(f"player{number}@example.org")

    def tick() -> None:
        deliver_due()
        connection.close()

    slow = threading.Thread(target=tick)
    slow.start()
    wait_until(lambda: moody.attempts, "the slow email to be told")
    assert deliver_due() == 5
    assert slow.is_alive()
    slow.join()
    assert set(OutgoingEmail.objects.values_list("state", "attempts")) == {(State.SENT, 1)}


@pytest.mark.long
def test_a_server_may_think_longer_about_an_email_than_it_may_take_to_greet(
    greet: Any, moody: Any, settings: Any
) -> None:
    settings.EMAIL_TIMEOUT = 0.5
    moody.slow["anna@example.org"] = 1.2
    greet()
    assert deliver_due() == 1
    assert moody.attempts == 1


@pytest.mark.long
def test_a_server_that_never_answers_for_an_email_gets_more_time_at_each_try(
    greet: Any, moody: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smtp_connection, "ANSWER_WITHIN", 0.4)
    moody.slow["anna@example.org"] = 1.0
    email = greet()
    assert deliver_due() == 0
    assert deliver_due(after(seconds=20)) == 0
    assert deliver_due(after(seconds=60)) == 1
    email.refresh_from_db()
    assert (email.state, email.attempts) == (State.SENT, 3)
    assert set(moody.message_ids) == {email.message_id}
