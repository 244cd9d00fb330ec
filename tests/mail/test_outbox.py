"""The outbox: one row per key, in the caller's transaction, and what happens to each row."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction
from django.utils import timezone

from accounts.mail import delivery_status
from accounts.mail.delivery import BATCH, deliver_due
from accounts.mail.delivery_status import DELAYS, LAST_DELAY, MOST_ATTEMPTS
from accounts.mail.leases import LEASE
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import queue
from accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]

State = OutgoingEmail.State


def after(**time: float) -> Any:
    return timezone.now() + timedelta(**time)


def test_the_same_key_is_one_email(greet: Any) -> None:
    first = greet(key="game-42 anna 7", words="first")
    again = greet("bruno@example.org", key="game-42 anna 7", words="second")
    assert again == first
    again.refresh_from_db()
    assert again.context == {"words": "first"}
    assert OutgoingEmail.objects.count() == 1


def test_an_email_belongs_to_the_callers_transaction(greet: Any) -> None:
    with transaction.atomic():
        greet()
        transaction.set_rollback(True)
    assert OutgoingEmail.objects.count() == 0


def test_another_broken_constraint_is_the_callers_error(greet: Any) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        queue(None, to="anna@example.org", key="k", context={})


@pytest.mark.once  # SQLite has one writer
@pytest.mark.django_db(transaction=True)
def test_the_same_key_from_many_at_once_is_one_email() -> None:
    start, seen = threading.Barrier(6), []

    def put() -> None:
        start.wait()
        with transaction.atomic():
            seen.append(queue("greeting", to="anna@example.org", key="one decision", context={}).pk)
        connection.close()

    threads = [threading.Thread(target=put) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 6
    assert len(set(seen)) == 1


def test_a_held_email_waits_for_its_moment(greet: Any, smtp_sink: Any) -> None:
    greet(hold=timedelta(seconds=60))
    assert deliver_due() == 0
    assert deliver_due(after(seconds=59)) == 0
    assert deliver_due(after(seconds=61)) == 1
    assert len(smtp_sink.messages) == 1


def test_an_email_whose_reason_is_gone_is_not_sent(greet: Any, smtp_sink: Any) -> None:
    email = greet(answered=True)
    assert deliver_due() == 0
    email.refresh_from_db()
    assert (email.state, email.leased_until, smtp_sink.messages) == (State.OVERTAKEN, None, [])


def test_a_sent_email_is_recorded_and_never_sent_again(greet: Any, smtp_sink: Any) -> None:
    email = greet()
    assert deliver_due() == 1
    assert deliver_due(after(days=30)) == 0
    email.refresh_from_db()
    assert email.state == State.SENT
    assert email.sent_at is not None
    assert email.last_error == ""
    assert len(smtp_sink.messages) == 1


def test_an_email_goes_to_the_present_address_of_an_account(greet: Any, smtp_sink: Any, anna: User) -> None:
    greet(anna)
    anna.email = "anna.new@example.org"
    anna.save()
    deliver_due()
    assert smtp_sink.recipients == [["anna.new@example.org"]]


def test_no_one_writes_to_a_closed_account(greet: Any, smtp_sink: Any, anna: User) -> None:
    email = greet(anna)
    User.objects.filter(pk=anna.pk).update(is_active=False)
    assert deliver_due() == 0
    email.refresh_from_db()
    assert (email.state, smtp_sink.messages) == (State.OVERTAKEN, [])


@pytest.mark.parametrize("what", [{"broken": True}, {"kind": "never heard of"}])
def test_an_email_that_cannot_be_written_waits_and_stops_no_other(
    greet: Any, smtp_sink: Any, what: Any
) -> None:
    broken = greet(**what)
    greet("bruno@example.org")
    assert deliver_due() == 1
    broken.refresh_from_db()
    assert broken.state == State.QUEUED
    assert broken.last_error
    assert broken.not_before > after(seconds=50)
    assert smtp_sink.recipients == [["bruno@example.org"]]


def test_an_email_that_cannot_be_written_waits_longer_each_time_and_is_given_up_after_two_days(
    greet: Any, smtp_sink: Any
) -> None:
    email = greet(broken=True)
    began = now = email.not_before
    waits = []
    while email.state == State.QUEUED:
        deliver_due(now)
        email.refresh_from_db()
        waits.append(email.not_before - now)
        now = max(email.not_before, now)
    assert waits[: len(DELAYS)] == list(DELAYS)
    assert set(waits[len(DELAYS) : -1]) == {LAST_DELAY}
    assert email.state == State.FAILED
    assert "the game is gone" in email.last_error
    assert email.attempts == MOST_ATTEMPTS
    assert timedelta(days=1.8) < now - began < timedelta(days=2.1)


def test_a_repaired_email_is_sent_under_the_message_id_it_had_from_the_start(
    greet: Any, smtp_sink: Any
) -> None:
    email = greet(broken=True)
    deliver_due()
    OutgoingEmail.objects.filter(pk=email.pk).update(context={})
    assert deliver_due(after(minutes=2)) == 1
    assert smtp_sink.messages[0]["Message-ID"] == email.message_id


def test_a_row_whose_deliverer_died_comes_back_when_its_lease_runs_out(greet: Any, smtp_sink: Any) -> None:
    email = greet()
    OutgoingEmail.objects.filter(pk=email.pk).update(
        leased_until=after(seconds=LEASE.total_seconds()), attempts=1
    )
    assert deliver_due() == 0
    assert deliver_due(after(seconds=LEASE.total_seconds() - 1)) == 0
    assert deliver_due(after(seconds=LEASE.total_seconds() + 1)) == 1
    assert smtp_sink.messages[0]["Message-ID"] == email.message_id


def test_an_email_that_kills_every_deliverer_is_given_up(greet: Any, smtp_sink: Any) -> None:
    email = greet()
    OutgoingEmail.objects.filter(pk=email.pk).update(attempts=MOST_ATTEMPTS)
    assert deliver_due() == 0
    email.refresh_from_db()
    assert (email.state, smtp_sink.messages) == (State.FAILED, [])


def test_someone_who_lost_the_lease_does_not_overwrite_what_the_next_one_recorded(
    greet: Any, smtp_sink: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from accounts.mail import smtp_client

    email = greet()
    real = smtp_client.SmtpClient.send

    def slowly(self: Any, message: Any, tries: int) -> None:
        real(self, message, tries)
        OutgoingEmail.objects.filter(pk=email.pk).update(state=State.FAILED, last_error="recorded by another")

    monkeypatch.setattr(smtp_client.SmtpClient, "send", slowly)
    deliver_due()
    email.refresh_from_db()
    assert (email.state, email.last_error) == (State.FAILED, "recorded by another")


def test_an_email_that_another_worker_has_tried_meanwhile_is_read_again_before_it_is_sent(
    greet: Any, smtp_sink: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from accounts.mail import smtp_client

    greet()
    email = greet()
    real = smtp_client.SmtpClient.send

    def slowly(self: Any, message: Any, tries: int) -> None:
        real(self, message, tries)
        OutgoingEmail.objects.filter(pk=email.pk, attempts=0).update(attempts=1)  # by a worker that died

    monkeypatch.setattr(smtp_client.SmtpClient, "send", slowly)
    assert deliver_due() == 2
    email.refresh_from_db()
    assert (email.state, email.attempts, len(smtp_sink.messages)) == (State.SENT, 2, 2)


def test_a_tick_with_nothing_due_writes_nothing(greet: Any, django_assert_num_queries: Any) -> None:
    greet(hold=timedelta(minutes=1))
    with django_assert_num_queries(1) as seen:
        deliver_due()
    assert seen[0]["sql"].startswith("SELECT")


@pytest.mark.long
def test_more_emails_than_one_batch_go_out_in_one_tick(greet: Any, mailoutbox: Any) -> None:
    for _ in range(BATCH + 5):
        greet()
    assert deliver_due() == BATCH + 5


@pytest.mark.once  # SQLite has one writer
@pytest.mark.django_db(transaction=True)
def test_many_deliverers_at_once_send_each_email_once(greet: Any, smtp_sink: Any) -> None:
    for number in range(40):
        greet(f"player{number}@example.org")
    start, sent = threading.Barrier(4), []

    def tick() -> None:
        start.wait()
        sent.append(deliver_due())
        connection.close()

    threads = [threading.Thread(target=tick) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(sent) == 40
    assert sorted(smtp_sink.recipients) == sorted([f"player{number}@example.org"] for number in range(40))
    assert set(OutgoingEmail.objects.values_list("state", "attempts")) == {(State.SENT, 1)}


@pytest.mark.once  # it is about PostgreSQL's planner
def test_due_emails_are_found_by_an_index_however_many_were_sent(greet: Any) -> None:
    now = timezone.now()
    OutgoingEmail.objects.bulk_create(
        OutgoingEmail(
            kind="greeting", to_address="a@example.org", key=f"old-{n}", state=State.SENT, not_before=now
        )
        for n in range(3000)
    )
    greet()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE mail_outgoingemail")
    assert "emails_due" in OutgoingEmail.objects.due(now)[:BATCH].explain()


def test_a_worker_asked_to_stop_ends_with_the_email_in_hand(greet: Any, smtp_sink: Any) -> None:
    for _ in range(3):
        greet()
    assert deliver_due(is_over=lambda: len(smtp_sink.messages) == 1) == 1
    assert sorted(OutgoingEmail.objects.values_list("state", "attempts")) == [
        (State.QUEUED, 0),
        (State.QUEUED, 0),
        (State.SENT, 1),
    ]


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_away_for_a_moment_after_the_email_was_taken_doubles_nothing(
    greet: Any, smtp_sink: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    email = greet()
    failures = [OperationalError("the connection is lost")] * 2
    monkeypatch.setattr(delivery_status, "_LOOK_AGAIN", 0.01)
    tell = delivery_status.call_on_outcome

    def lost(*args: Any) -> None:
        if failures:
            raise failures.pop()
        tell(*args)

    monkeypatch.setattr(delivery_status, "call_on_outcome", lost)
    assert deliver_due() == 1
    assert deliver_due(after(minutes=5)) == 0
    email.refresh_from_db()
    assert (email.state, email.attempts, len(smtp_sink.messages)) == (State.SENT, 1, 1)
    assert failures == []
