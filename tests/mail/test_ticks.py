"""An email's whole path through real parts: request, row, beat, broker, worker, mail server."""

from typing import Any

import pytest
from django.test import Client

from accounts.mail.models import OutgoingEmail
from accounts.models import User
from tests.servers import wait_until


@pytest.mark.long  # tests/journeys/test_a_whole_game_by_email.py goes the same way
@pytest.mark.once  # a worker cannot share a test's SQLite
@pytest.mark.django_db(transaction=True)
def test_an_email_queued_by_a_request_is_found_by_the_next_tick_and_sent(
    anna: User, celery_processes: Any, smtp_sink: Any
) -> None:
    celery_processes()
    Client().post("/accounts/login/", {"login": anna.email})
    email = smtp_sink.wait_for(1)[0]
    assert email["To"] == anna.email
    wait_until(
        lambda: OutgoingEmail.objects.get().state == OutgoingEmail.State.SENT,
        "the email's fate to be recorded",
    )
    assert OutgoingEmail.objects.get().message_id == email["Message-ID"]
