"""Settings that do not fit together are reported at the start."""

import os
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from condottiere_site.checks import (
    emails_reach_people,
    host_is_whole,
    mailbox_has_an_address,
    names_are_spelt_right,
)


def test_a_public_site_without_a_mail_server_is_told(settings: Any) -> None:
    settings.EMAIL_BACKEND = "accounts.mail.capture.CaptureBackend"
    settings.SITE_HOST = "127.0.0.1"
    assert emails_reach_people(None) == []
    settings.SITE_HOST = "games.example.org"
    assert [message.id for message in emails_reach_people(None)] == ["condottiere.W001"]
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    assert emails_reach_people(None) == []


def test_a_mailbox_to_which_no_mail_goes_is_told(settings: Any) -> None:
    settings.MAILBOX_URL, settings.REPLY_ADDRESS = "imaps://games@mail.example.org", ""
    assert [message.id for message in mailbox_has_an_address(None)] == ["condottiere.W003"]
    settings.REPLY_ADDRESS = "reply@example.org"
    assert mailbox_has_an_address(None) == []


@pytest.mark.parametrize(
    ("is_https", "host", "warned"),
    [(True, "games", True), (True, "games.lan", False), (True, "::1", False), (False, "games", False)],
)
def test_a_public_host_without_a_dot_is_told(settings: Any, is_https: bool, host: str, warned: bool) -> None:
    settings.IS_HTTPS, settings.SITE_HOST = is_https, host
    assert [message.id for message in host_is_whole(None)] == ["condottiere.W005"] * warned


def test_a_variable_that_is_nearly_a_setting_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("MAILBOX_URI", "EMAIL_URI_FILE", "EMAIL_URL", "REDIS_URL_FILE", "SMTP_URL", "HOME")
    monkeypatch.setattr(os, "environ", dict.fromkeys(names, "s3cret"))
    found = names_are_spelt_right(None)
    assert [(each.msg, each.hint) for each in found] == [
        ("EMAIL_URI is no setting.", "Did you mean EMAIL_URL?"),
        ("MAILBOX_URI is no setting.", "Did you mean MAILBOX_URL?"),
    ]


@pytest.mark.django_db
def test_the_operator_s_link_can_be_had_without_play(
    settings: Any, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("operator_link")
    link = capsys.readouterr().out.strip()
    assert link.startswith(settings.SITE_URL)
    assert client.post(link.removeprefix(settings.SITE_URL)).status_code == 302
