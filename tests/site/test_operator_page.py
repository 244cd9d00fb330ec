"""The operator's page: what fails and what to do, and nothing by which an operator who plays learns more."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.test import Client

from accounts import clock
from accounts.mail.capture import BACKEND
from accounts.mail.models import MailServerHealth, OutgoingEmail, SuppressedAddress
from accounts.models import User
from condottiere_site import operator_page
from condottiere_site.health.signs import Sign, SignName, Unit
from tests.journeys.visiting import page_in

pytestmark = pytest.mark.django_db

WELL = [
    Sign(SignName.EMAIL, False, 12.0, 600.0, Unit.SECONDS),
    Sign(SignName.DISK, False, 2.0**31, 2.0**30, Unit.BYTES),
]


def shown(person: Any, monkeypatch: pytest.MonkeyPatch, signs: list[Sign]) -> str:
    monkeypatch.setattr(operator_page, "current_signs", lambda: signs)
    client = Client()
    client.force_login(person, backend=site_settings.AUTHENTICATION_BACKENDS[0])
    return " ".join(page_in(client.get("/operator/")).words.split())


@pytest.fixture
def operator(anna: Any) -> Any:
    anna.is_staff = anna.is_superuser = True
    anna.save()
    return anna


def queue(key: str, **more: Any) -> OutgoingEmail:
    return OutgoingEmail.objects.create(
        kind="turn", to_address="x@example.org", key=key, not_before=clock.now(), **more
    )


def test_it_says_what_failed_and_what_to_do(operator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Everything works." in shown(operator, monkeypatch, WELL)
    words = shown(operator, monkeypatch, [Sign(SignName.DISK, True, 2.0**20, 2.0**30, Unit.BYTES)])
    assert "Free disk space (1 MiB) Delete old backups and logs" in words
    assert "Everything works." not in words


@pytest.mark.parametrize(("language", "mark", "gap"), [("en", ".", ","), ("pl", ",", " "), ("ru", ",", " ")])
def test_numbers_are_written_as_the_operator_reads_them(
    operator: Any, monkeypatch: pytest.MonkeyPatch, language: str, mark: str, gap: str
) -> None:
    User.objects.filter(pk=operator.pk).update(language=language)
    User.objects.create(pk=12345, email="x@example.org")
    words = shown(operator, monkeypatch, [Sign(SignName.DISK, False, 1234.5 * 2**30, 2.0**30, Unit.BYTES)])
    assert f"1{gap}234{mark}5" in words
    assert f"12{gap}345" in words


def test_without_a_mail_server_it_does_not_say_that_all_is_well(
    operator: Any, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.EMAIL_BACKEND = BACKEND
    words = shown(operator, monkeypatch, WELL)
    assert "No mail server is configured" in words
    assert "Everything works." not in words


def test_a_mail_server_is_quoted(operator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    MailServerHealth.objects.create(pk=1, failing_since=clock.now(), last_error="421 come back later")
    queue("1", state="failed", last_error="550 no such person")
    SuppressedAddress.objects.create(address="gone@example.org", reason="mailbox full")
    words = shown(operator, monkeypatch, WELL)
    for said in ("421 come back later", "550 no such person", "gone@example.org", "mailbox full"):
        assert said in words


def test_one_more_email_changes_nothing_on_it(operator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    size = re.compile(r"\d+ MiB")  # of the database, which may just have grown
    before = shown(operator, monkeypatch, WELL)
    queue("1")
    later = [Sign(SignName.EMAIL, False, 59.0, 600.0, Unit.SECONDS), *WELL[1:]]
    assert size.sub("", shown(operator, monkeypatch, later)) == size.sub("", before)
