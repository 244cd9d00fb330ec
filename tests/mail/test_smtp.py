"""Delivery to a real SMTP server: what its answers mean, and what happens when it is down."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.mail.delivery import deliver_due
from accounts.mail.models import MailServerHealth, OutgoingEmail
from tests.mail.moody import Moody
from tests.servers import free_port

pytestmark = pytest.mark.django_db

State = OutgoingEmail.State


def after(**time: float) -> Any:
    return timezone.now() + timedelta(**time)


def test_an_address_refused_for_good_fails_and_stops_no_other(greet: Any, smtp_sink: Any) -> None:
    smtp_sink.refusals["nobody@example.org"] = "550 5.1.1 no such person"
    refused, good = greet("nobody@example.org"), greet("anna@example.org")
    assert deliver_due() == 1
    refused.refresh_from_db()
    good.refresh_from_db()
    assert (refused.state, good.state) == (State.FAILED, State.SENT)
    assert "no such person" in refused.last_error


def test_an_address_refused_for_now_is_tried_again_under_the_same_message_id(
    greet: Any, smtp_sink: Any
) -> None:
    smtp_sink.refusals["anna@example.org"] = "450 4.2.0 greylisted"
    email = greet()
    assert deliver_due() == 0
    email.refresh_from_db()
    assert email.state == State.QUEUED
    assert "greylisted" in email.last_error
    smtp_sink.refusals.clear()
    assert deliver_due(after(seconds=30)) == 0
    assert deliver_due(after(seconds=90)) == 1
    assert smtp_sink.messages[0]["Message-ID"] == email.message_id


@pytest.mark.parametrize(
    ("answer", "state"), [("554 5.7.1 smells of spam", State.FAILED), ("451 4.3.0 disk full", State.QUEUED)]
)
def test_an_email_refused_after_it_was_told_is_this_emails_fate_alone(
    greet: Any, moody: Moody, answer: str, state: str
) -> None:
    moody.moods = [answer]
    first = greet()
    greet("bruno@example.org")
    assert deliver_due() == 1
    first.refresh_from_db()
    assert first.state == state
    assert moody.taken == ["bruno@example.org"]


def test_one_connection_carries_all_emails_of_a_tick(greet: Any, moody: Moody) -> None:
    for _ in range(5):
        greet()
    assert deliver_due() == 5
    assert len(moody.connections) == 1


def test_a_connection_closed_between_emails_is_made_again(greet: Any, moody: Moody) -> None:
    moody.moods = ["250 and hang up"]
    for name in ("anna", "bruno", "carla"):
        greet(f"{name}@example.org")
    assert deliver_due() == 3
    assert sorted(moody.taken) == ["anna@example.org", "bruno@example.org", "carla@example.org"]
    assert set(OutgoingEmail.objects.values_list("state", flat=True)) == {State.SENT}


def test_a_server_that_closes_for_now_lets_a_new_connection_in(greet: Any, moody: Moody) -> None:
    greet("anna@example.org")
    greet("bruno@example.org")
    moody.sender_moods = ["250 OK", "421 too many emails on one line"]
    original = moody.handle_MAIL

    async def first_ok(server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        answer = await original(server, session, envelope, address, options)
        if answer == "250 OK":
            envelope.mail_from = address
        return answer

    moody.handle_MAIL = first_ok
    assert deliver_due() == 2
    assert len(moody.connections) == 2


def test_an_email_that_breaks_the_connection_waits_and_the_next_tick_sends_the_others(
    greet: Any, moody: Moody
) -> None:
    moody.moods = ["hang up"]
    email = greet()
    greet("bruno@example.org")
    assert deliver_due() == 0
    email.refresh_from_db()
    assert (email.state, email.attempts, email.leased_until) == (State.QUEUED, 1, None)
    assert "closed" in email.last_error
    assert deliver_due() == 1
    assert deliver_due(after(seconds=90)) == 1
    assert moody.taken == ["bruno@example.org", "anna@example.org"]


def test_a_server_that_is_down_is_asked_once_a_tick_and_costs_no_email_an_attempt(
    greet: Any, settings: Any, smtp_sink: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from accounts.mail import smtp_client

    emails = [greet() for _ in range(20)]
    working, settings.EMAIL_PORT = settings.EMAIL_PORT, free_port()
    asked = []
    real = smtp_client.mail.get_connection
    monkeypatch.setattr(smtp_client.mail, "get_connection", lambda: (asked.append(1), real())[1])
    assert deliver_due() == 0
    assert deliver_due() == 0
    assert len(asked) == 1
    for email in emails:
        email.refresh_from_db()
        assert (email.state, email.attempts, email.leased_until) == (State.QUEUED, 0, None)
    assert "refused" in emails[0].last_error
    assert "refused" in MailServerHealth.objects.get().last_error
    settings.EMAIL_PORT = working
    assert deliver_due(after(seconds=30)) == 20
    assert len(smtp_sink.messages) == 20


def test_a_server_that_refuses_this_site_altogether_costs_no_email_an_attempt(
    greet: Any, moody: Moody
) -> None:
    moody.sender_moods = ["530 5.7.0 sign in first"]
    first, second = greet(), greet()
    assert deliver_due() == 0
    for email in (first, second):
        email.refresh_from_db()
        assert (email.state, email.attempts) == (State.QUEUED, 0)
    assert "sign in first" in MailServerHealth.objects.get().last_error
    assert deliver_due(after(seconds=30)) == 2


@pytest.mark.parametrize(
    "address", ["ännä@example.org", "no at sign", "two@at@signs.example", "a\nb@example.org", "@", ""]
)
def test_an_address_no_mail_can_reach_fails_and_stops_no_other(
    greet: Any, smtp_sink: Any, address: str
) -> None:
    odd = greet("anna@example.org")
    OutgoingEmail.objects.filter(pk=odd.pk).update(to_address=address)
    greet("bruno@example.org")
    assert deliver_due() == 1
    odd.refresh_from_db()
    assert odd.state == State.FAILED
    assert odd.last_error
    assert smtp_sink.recipients == [["bruno@example.org"]]


def test_a_domain_in_other_letters_is_reached(greet: Any, smtp_sink: Any) -> None:
    greet("anna@bücher.example")
    assert deliver_due() == 1
    assert smtp_sink.recipients == [["anna@xn--bcher-kva.example"]]
