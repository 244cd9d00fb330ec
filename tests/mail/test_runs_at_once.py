"""Several runs find the same batch of emails: none tries one after the other what the others have taken."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.mail.delivery import BATCH, _find_due, deliver_due
from accounts.mail.leases import LEASE
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import giving_way

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]


@pytest.mark.parametrize("emails", [3, BATCH])
def test_a_run_sees_at_once_that_another_has_taken_all_of_its_batch(greet: Any, emails: int) -> None:
    for number in range(emails):
        greet(f"anna{number}@example.org")
    looked = 0

    def is_over() -> bool:
        nonlocal looked
        looked += 1
        if looked == 2:  # it has its batch
            OutgoingEmail.objects.update(leased_until=timezone.now() + LEASE)
        return False

    with CaptureQueriesContext(connection) as captured:
        assert deliver_due(is_over=is_over) == 0
    looks = [query["sql"] for query in captured if "mail_outgoingemail" in query["sql"]]
    assert len(looks) == 5, looks  # the batch; the other run; one claim, what is left; the next batch


def test_a_run_goes_on_with_what_another_has_left_of_its_batch(greet: Any, mailoutbox: Any) -> None:
    emails = [greet(f"anna{number}@example.org") for number in range(5)]
    looked = 0

    def is_over() -> bool:
        nonlocal looked
        looked += 1
        if looked == 2:
            taken = OutgoingEmail.objects.filter(pk__in=[email.pk for email in emails[:3]])
            taken.update(leased_until=timezone.now() + LEASE)
        return False

    assert deliver_due(is_over=is_over) == 2
    assert [email.to[0] for email in mailoutbox] == ["anna3@example.org", "anna4@example.org"]


def test_a_run_whose_batch_is_taken_goes_on_with_the_next(greet: Any, mailoutbox: Any) -> None:
    emails = [greet(f"anna{number}@example.org") for number in range(BATCH + 3)]
    looked = 0

    def is_over() -> bool:
        nonlocal looked
        looked += 1
        if looked == 2:
            taken = OutgoingEmail.objects.filter(pk__in=[email.pk for email in emails[:BATCH]])
            taken.update(leased_until=timezone.now() + LEASE)
        return False

    assert deliver_due(is_over=is_over) == 3


def test_runs_with_a_full_batch_begin_at_different_emails(greet: Any) -> None:
    with giving_way():
        for number in range(BATCH):
            greet(f"crowd{number}@example.org")
    batches = [_find_due(timezone.now()) for _ in range(40)]
    assert {frozenset(email.pk for email in batch) for batch in batches} == {
        frozenset(OutgoingEmail.objects.values_list("pk", flat=True))
    }
    assert len({batch[0].pk for batch in batches}) > 1
