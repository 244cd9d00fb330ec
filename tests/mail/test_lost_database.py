"""The database fails during a delivery: the email waits no longer than a lease."""

import contextlib
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import OperationalError, connection
from django.utils import timezone

from accounts.mail import delivery_status, leases
from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from tests.conftest import test_database_url

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]  # SQLite has no server to lose

RECOVERED_WITHIN = timedelta(seconds=30)


def losing_the_database_at(statement: str) -> Callable[..., Any]:
    """End this connection's server process, once, right before a statement that contains these words."""
    lost = list[str]()

    def run(execute: Callable[..., Any], sql: str, *more: Any) -> Any:
        if statement in sql and not lost:
            lost.append(sql)
            process = connection.connection.info.backend_pid
            with psycopg.connect(test_database_url(), autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s, 5000)", [process])
        return execute(sql, *more)

    return run


def due_again(email: OutgoingEmail) -> datetime:
    email.refresh_from_db()
    assert email.state == OutgoingEmail.State.QUEUED
    return max(email.not_before, email.leased_until or email.not_before)


def test_no_wait_after_the_first_losses_is_longer_than_what_is_promised() -> None:
    longest = max(leases.LEASE, *delivery_status.DELAYS_AFTER_A_BREAK[:4])
    assert (
        longest + timedelta(seconds=settings.BEAT_SECONDS["accounts.mail.tasks.deliver_due"])
        < RECOVERED_WITHIN
    )


@pytest.mark.parametrize(
    ("words", "statement"),
    [
        ({"answered": True}, 'SET "leased_until" = NULL'),  # nothing is to be sent any more
        ({}, 'FROM "accounts_user"'),  # while it is written
    ],
)
def test_an_email_under_way_waits_no_longer_than_a_lease_and_then_goes(
    words: dict[str, Any], statement: str, greet: Any, smtp_sink: Any
) -> None:
    email = greet(**words)
    with connection.execute_wrapper(losing_the_database_at(statement)), contextlib.suppress(OperationalError):
        deliver_due()
    connection.close()  # as every task does in the end
    assert due_again(email) <= timezone.now() + leases.LEASE
    deliver_due(timezone.now() + leases.LEASE)
    email.refresh_from_db()
    assert email.state == (OutgoingEmail.State.OVERTAKEN if words else OutgoingEmail.State.SENT)
