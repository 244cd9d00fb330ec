"""Letters that collect: what comes after somebody may have got the letter goes into another one."""

from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.post.collecting import collecting_letter
from accounts.post.delivery import deliver_due
from accounts.post.models import Letter

pytestmark = pytest.mark.django_db


def collected(to: User) -> Letter:
    with transaction.atomic():
        return collecting_letter("greeting", to=to, stem="waiting:1:", about={}, due=timezone.now())


def test_a_letter_nobody_has_begun_to_send_takes_more(anna: User) -> None:
    assert collected(anna) == collected(anna)


def test_a_letter_the_server_put_off_takes_more(anna: User, moody: Any) -> None:
    moody.moods = ["451 4.3.0 disk full"]
    letter = collected(anna)
    deliver_due()
    assert collected(anna) == letter


def test_a_letter_that_was_cut_off_may_have_arrived_and_takes_no_more(anna: User, moody: Any) -> None:
    moody.moods = ["hang up"]
    letter = collected(anna)
    deliver_due()
    assert collected(anna) != letter


def test_a_sent_letter_takes_no_more(anna: User, moody: Any) -> None:
    letter = collected(anna)
    deliver_due()
    assert collected(anna) != letter
