"""Outcome handlers run in the transaction that records an email's outcome, and break nothing."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from accounts.mail import delivery_status
from accounts.mail.delivery import deliver_due
from accounts.mail.email_kinds import EMAIL_KINDS, OutcomeHandler
from accounts.mail.models import OutgoingEmail, Unsubscription
from tests.mail import watchers
from tests.mail.builders import GREETING

pytestmark = pytest.mark.django_db

State = OutgoingEmail.State


@pytest.fixture(autouse=True)
def watched(one_more_kind_of_email: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(EMAIL_KINDS, "greeting", replace(GREETING, on_outcome=watchers.note))
    watchers.told.clear()
    yield
    watchers.told.clear()


def test_a_sent_email_and_a_refused_one_are_told(greet: Any, smtp_sink: Any) -> None:
    smtp_sink.refusals["nobody@example.org"] = "550 5.1.1 no such person"
    sent, refused = greet(), greet("nobody@example.org")
    deliver_due()
    assert watchers.told == [(sent.pk, State.SENT, True), (refused.pk, State.FAILED, False)]
    assert Unsubscription.objects.filter(address="noted@example.org").count() == 2


def test_what_was_overtaken_or_waits_is_not_told(greet: Any, smtp_sink: Any) -> None:
    smtp_sink.refusals["later@example.org"] = "450 4.2.0 later"
    greet(answered=True)
    greet("later@example.org")
    deliver_due()
    assert watchers.told == []


@pytest.mark.parametrize("watcher", [watchers.stumble, watchers.break_the_database])
def test_a_watcher_that_fails_loses_neither_the_email_nor_its_fate(
    greet: Any, smtp_sink: Any, monkeypatch: pytest.MonkeyPatch, watcher: OutcomeHandler
) -> None:
    monkeypatch.setitem(EMAIL_KINDS, "greeting", replace(GREETING, on_outcome=watcher))
    email = greet()
    greet("bruno@example.org")
    assert deliver_due() == 2
    assert deliver_due() == 0
    email.refresh_from_db()
    assert email.state == State.SENT
    assert len(smtp_sink.messages) == 2
    assert Unsubscription.objects.count() == 0  # nothing half done


def test_what_a_watcher_did_is_undone_when_another_has_claimed_the_email(
    greet: Any, smtp_sink: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from accounts.mail import smtp_client

    email = greet()
    real = smtp_client.SmtpClient.send

    def slowly(self: Any, message: Any, tries: int) -> None:
        real(self, message, tries)
        OutgoingEmail.objects.filter(pk=email.pk).update(attempts=2)

    monkeypatch.setattr(smtp_client.SmtpClient, "send", slowly)
    deliver_due()
    email.refresh_from_db()
    assert email.state == State.QUEUED
    assert watchers.told
    assert Unsubscription.objects.count() == 0


def test_an_emails_row_says_where_it_went(greet: Any, smtp_sink: Any, anna: Any) -> None:
    email = greet(anna)
    anna.email = "anna.new@example.org"
    anna.save()
    deliver_due()
    email.refresh_from_db()
    assert email.to_address == "anna.new@example.org"


@pytest.mark.parametrize("answer", ["", "450 4.2.0 later", "550 5.1.1 no such person"])
def test_an_emails_row_keeps_the_subject_once_it_is_written(greet: Any, smtp_sink: Any, answer: str) -> None:
    if answer:
        smtp_sink.refusals["anna@example.org"] = answer
    email = greet(subject="The game\nhas begun")
    assert email.subject == ""
    deliver_due()
    email.refresh_from_db()
    assert email.subject == "The game has begun"


@pytest.mark.parametrize("column", ["forgets", "forgets_address"])
def test_no_subject_is_kept_of_an_email_that_is_to_be_forgotten(
    greet: Any, smtp_sink: Any, column: str
) -> None:
    email = greet(subject="Your code is QQQQQQ")
    OutgoingEmail.objects.filter(pk=email.pk).update(**{column: True})
    smtp_sink.refusals["anna@example.org"] = "450 4.2.0 later"
    deliver_due()
    smtp_sink.refusals.clear()
    OutgoingEmail.objects.update(not_before=email.created_at)
    assert not OutgoingEmail.objects.exclude(subject="").exists()
    deliver_due()
    email.refresh_from_db()
    assert (email.state, email.subject) == (State.SENT, "")


def test_the_subject_of_an_email_that_came_back_stays(greet: Any, smtp_sink: Any) -> None:
    email = greet(subject="The game has begun")
    deliver_due()
    now = email.created_at
    assert delivery_status.mark_bounced(
        OutgoingEmail.objects.get(pk=email.pk), now, "550", address_fails=False
    )
    email.refresh_from_db()
    assert (email.state, email.subject) == (State.BOUNCED, "The game has begun")
