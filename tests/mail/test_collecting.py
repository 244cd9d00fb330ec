"""Digests: what happens after an email may have been sent goes into another one."""

from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from accounts.mail.collecting import collecting_email
from accounts.mail.delivery import deliver_due
from accounts.mail.leases import claim
from accounts.mail.models import OutgoingEmail
from accounts.models import User

pytestmark = pytest.mark.django_db


def collected(to: User) -> OutgoingEmail:
    with transaction.atomic():
        return collecting_email("greeting", to=to, key_prefix="waiting:1:", context={}, due=timezone.now())


def test_an_email_no_one_has_begun_to_send_takes_more(anna: User) -> None:
    assert collected(anna) == collected(anna)


def test_an_email_the_server_put_off_takes_more(anna: User, moody: Any) -> None:
    moody.moods = ["451 4.3.0 disk full"]
    email = collected(anna)
    deliver_due()
    assert collected(anna) == email


def test_an_email_that_was_cut_off_may_have_arrived_and_takes_no_more(anna: User, moody: Any) -> None:
    moody.moods = ["hang up"]
    email = collected(anna)
    deliver_due()
    assert collected(anna) != email


def test_an_email_that_is_being_sent_takes_no_more(anna: User) -> None:
    email = collected(anna)
    assert claim(email, timezone.now())
    assert collected(anna) != email


def test_a_sent_email_takes_no_more(anna: User, moody: Any) -> None:
    email = collected(anna)
    deliver_due()
    assert collected(anna) != email
