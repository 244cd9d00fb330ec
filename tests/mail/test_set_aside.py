"""Mail that cannot be taken: kept for the operator; tried again if the site is to blame; in no one's way."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import DataError, OperationalError
from django.test import Client
from django.utils import timezone

from accounts import clock
from accounts.mail import privacy, set_aside
from accounts.mail.models import OutgoingEmail, SetAsideMessage
from accounts.mail.own_addresses import NotOurs
from accounts.mail.return_paths import return_path
from accounts.mail.set_aside import DELAYS, TryLater, take, try_again
from accounts.models import User
from tests.bounces.reports import report

pytestmark = pytest.mark.django_db

State = OutgoingEmail.State
DEEP = (
    b"From: Anna <anna@example.org>\nContent-Type: message/rfc822\n\n"
    + b"Content-Type: message/rfc822\n\n" * 2000
)


@pytest.fixture(autouse=True)
def mail_comes_here(settings: Any) -> None:
    settings.BOUNCE_ADDRESS = "bounces@games.example.net"


def sent(number: int = 1) -> OutgoingEmail:
    return OutgoingEmail.objects.create(
        kind="your_turn",
        to_address=f"anna{number}@example.org",
        key=f"went-{number}",
        state=State.SENT,
        attempts=1,
        not_before=timezone.now(),
    )


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Callable[[Exception], None]:
    """Let the site fail with this error at each message from now on."""

    def breaks(error: Exception) -> None:
        def receive(_recipient: str, _source: bytes, _sender: str | None) -> None:
            raise error

        monkeypatch.setattr(set_aside, "receive", receive)

    return breaks


def kept() -> SetAsideMessage:
    return SetAsideMessage.objects.get()


def at(moment: Any) -> Any:
    return clock.use_clock(lambda: moment)


def test_a_message_that_breaks_its_reader_is_kept_once_and_not_tried_again(caplog: Any) -> None:
    path = return_path(sent().pk)
    for _ in range(3):
        take(path, DEEP, "anna@example.org")
    assert (kept().next_attempt_at, kept().attempts, bytes(kept().source)) == (None, 1, DEEP)
    assert kept().reason == "it cannot be read (RecursionError)"
    with at(clock.now() + timedelta(days=1)):
        assert try_again(lambda: False) == 0
    assert kept().attempts == 1
    assert not any(record.exc_info for record in caplog.records)
    assert len(caplog.text) < 1000


@pytest.mark.parametrize(
    "error", [RecursionError("deep"), ValueError("odd"), LookupError("x"), TypeError("y")]
)
def test_whatever_a_message_does_to_its_reader_is_the_messages_fault(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def failing(_message: Any) -> None:
        raise error

    monkeypatch.setattr("accounts.mail.bounces.failure_reported", failing)
    take(return_path(sent().pk), report())
    assert kept().next_attempt_at is None
    assert type(error).__name__ in kept().reason


def test_an_error_of_the_site_is_tried_again_with_growing_delay_and_given_up(
    broken: Any, caplog: Any
) -> None:
    path, now = return_path(sent().pk), clock.now()
    broken(RuntimeError("a mistake\0 of ours \ud800"))
    with at(now):
        take(path, report())
    assert kept().reason.startswith("RuntimeError: a mistake? of ours ?")
    waits = []
    for attempts in range(1, len(DELAYS) + 1):
        assert kept().attempts == attempts
        planned = kept().next_attempt_at
        assert planned is not None
        waits.append(planned - now)
        with at(planned - timedelta(seconds=1)):
            assert try_again(lambda: False) == 0
        now = planned
        with at(now):
            assert try_again(lambda: False) == 0
    assert waits == list(DELAYS) == sorted(set(DELAYS))
    assert (kept().next_attempt_at, kept().attempts) == (None, len(DELAYS) + 1)
    assert "is set aside" in caplog.text
    assert not any(record.exc_info for record in caplog.records)


def test_what_is_tried_again_with_success_is_forgotten(broken: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    email = sent()
    broken(ImproperlyConfigured("half an upgrade"))
    take(return_path(email.pk), report(), "")
    monkeypatch.undo()
    with at(clock.now() + DELAYS[0]):
        assert try_again(lambda: False) == 1
    email.refresh_from_db()
    assert email.state == State.BOUNCED
    assert not SetAsideMessage.objects.exists()


def test_an_address_that_expires_meanwhile_is_given_up(broken: Any) -> None:
    broken(RuntimeError("a mistake"))
    take(return_path(sent().pk), report())
    broken(NotOurs("an address that has expired"))
    with at(clock.now() + DELAYS[0]):
        assert try_again(lambda: False) == 0
    assert (kept().next_attempt_at, kept().reason) == (None, "an address that has expired")


def test_without_a_database_the_message_must_come_again(broken: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(OperationalError("gone"))
    monkeypatch.setattr(set_aside, "_is_database_there", lambda: False)
    with pytest.raises(TryLater):
        take(return_path(sent().pk), report())
    assert not SetAsideMessage.objects.exists()


@pytest.mark.parametrize("error", [DataError("too long"), OperationalError("statement timeout")])
def test_what_a_reachable_database_refuses_does_not_come_again_for_ever(
    broken: Any, error: Exception
) -> None:
    broken(error)
    take(return_path(sent().pk), report())
    assert kept().next_attempt_at is not None


def test_what_was_done_before_the_error_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    email = sent()
    real = set_aside.receive

    def failing(recipient: str, source: bytes, sender: str | None) -> None:
        real(recipient, source, sender)
        raise RuntimeError("after it was recorded")

    monkeypatch.setattr(set_aside, "receive", failing)
    take(return_path(email.pk), report())
    email.refresh_from_db()
    assert email.state == State.SENT


def test_mail_behind_many_bad_messages_is_taken_in_the_same_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(set_aside, "MOST_KEPT", 5)
    email = sent()
    path = return_path(email.pk)
    for number in range(8):
        take(path, b"Subject: %d\n" % number + DEEP)
    take(path, report())
    email.refresh_from_db()
    assert email.state == State.BOUNCED
    assert SetAsideMessage.objects.count() == 5
    assert b"Subject: 7" in bytes(SetAsideMessage.objects.latest("pk").source)


def test_what_waits_for_another_try_is_never_crowded_out(
    broken: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = return_path(sent().pk)
    broken(RuntimeError("a mistake"))
    take(path, report())
    monkeypatch.undo()
    monkeypatch.setattr(set_aside, "MOST_KEPT", 2)
    for number in range(5):
        take(path, b"Subject: %d\n" % number + DEEP)
    assert SetAsideMessage.objects.count() == 3
    assert SetAsideMessage.objects.exclude(next_attempt_at=None).count() == 1


def test_a_run_that_is_over_leaves_the_rest(broken: Any) -> None:
    broken(RuntimeError("a mistake"))
    for number in range(2):
        take(return_path(sent(number).pk), report())
    with at(clock.now() + DELAYS[0]):
        assert try_again(lambda: True) == 0
    assert set(SetAsideMessage.objects.values_list("attempts", flat=True)) == {1}


def test_messages_set_aside_go_after_a_month_and_with_the_account_that_they_name(anna: User) -> None:
    path = return_path(sent().pk)
    take(path, DEEP)
    take(path, DEEP.replace(b"anna@example.org", b"Bruno <BRUNO@example.org>"))
    privacy.erase(anna)
    assert b"BRUNO" in bytes(kept().source)
    with at(clock.now() + timedelta(days=31)):
        privacy.delete_old_emails()
    assert not SetAsideMessage.objects.exists()


@pytest.fixture
def operator(anna: User, signed_in: Any) -> Client:
    User.objects.filter(pk=anna.pk).update(is_staff=True, is_superuser=True)
    anna.refresh_from_db()
    client: Client = signed_in(anna)
    return client


PAGE = "/operator/admin/mail/setasidemessage/"


def test_the_operator_sees_who_wrote_it_and_why_but_not_what(operator: Client) -> None:
    path = return_path(sent().pk)
    take(path, DEEP + b"Your hand: Heroine")
    for address in (PAGE, f"{PAGE}{kept().pk}/change/"):
        page = operator.get(address).content.decode()
        assert "Anna &lt;anna@example.org&gt;" in page
        assert "it cannot be read (RecursionError)" in page
        assert "Heroine" not in page
        assert path not in page


def test_the_operator_has_it_tried_again_or_deletes_it(
    operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    email = sent()
    monkeypatch.setattr("accounts.mail.bounces.failure_reported", lambda _message: 1 / 0)
    take(return_path(email.pk), report())
    chosen = {"_selected_action": kept().pk}
    monkeypatch.undo()
    operator.post(PAGE, {"action": "try_again"} | chosen)
    assert try_again(lambda: False) == 1
    email.refresh_from_db()
    assert email.state == State.BOUNCED
    take(return_path(email.pk), DEEP)
    operator.post(PAGE, {"action": "delete_selected", "post": "yes", "_selected_action": kept().pk})
    assert not SetAsideMessage.objects.exists()
