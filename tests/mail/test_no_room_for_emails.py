"""While nothing can be stored, no email is sent twice, and none is given up."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from accounts.mail.delivery import deliver_due
from accounts.mail.delivery_status import MOST_ATTEMPTS
from accounts.mail.models import OutgoingEmail
from tests.full_disks import full_disk

pytestmark = pytest.mark.django_db(transaction=True)

State = OutgoingEmail.State
SENT = '"sent_at" = '  # in the statement that records it


def later() -> Any:
    return timezone.now() + timedelta(hours=3)


def test_an_accepted_email_is_recorded_once_there_is_room_and_not_sent_again(
    greet: Any, smtp_sink: Any
) -> None:
    email = greet()
    with full_disk(only=SENT):
        for moment in (None, later()):
            with pytest.raises(OperationalError):
                deliver_due(moment)
    assert OutgoingEmail.objects.get(pk=email.pk).state == State.QUEUED
    assert deliver_due(later()) == 0
    email.refresh_from_db()
    assert (email.state, email.attempts, len(smtp_sink.messages)) == (State.SENT, 1, 1)


def test_others_go_out_after_it(greet: Any, smtp_sink: Any) -> None:
    greet()
    with full_disk(only=SENT), pytest.raises(OperationalError):
        deliver_due()
    greet()
    assert deliver_due(later()) == 1
    assert len(smtp_sink.messages) == 2
    assert set(OutgoingEmail.objects.values_list("state", flat=True)) == {State.SENT}


def test_an_email_that_has_no_room_is_not_given_up(greet: Any, settings: Any) -> None:
    settings.EMAIL_BACKEND = "accounts.mail.capture.CaptureBackend"
    email = greet()  # without a mail server, a captured email is one more row
    with full_disk(only="mail_capturedemail"):
        for _ in range(MOST_ATTEMPTS + 2):
            with pytest.raises(OperationalError):
                deliver_due()
    assert deliver_due() == 1
    email.refresh_from_db()
    assert (email.state, email.attempts) == (State.SENT, 1)


def test_without_room_for_a_claim_nothing_is_sent(greet: Any, smtp_sink: Any) -> None:
    greet()
    with full_disk(), pytest.raises(OperationalError):
        deliver_due()
    assert not smtp_sink.messages
