"""The envelope sender names the email for bounces; readers see the usual sender."""

from typing import Any

import pytest

from accounts.mail.delivery import deliver_due
from accounts.mail.models import CapturedEmail, SuppressedAddress
from accounts.mail.own_addresses import numbers_in
from accounts.own_name import sender

pytestmark = pytest.mark.django_db


def test_each_email_has_its_own_signed_return_path(greet: Any, moody: Any, settings: Any) -> None:
    settings.BOUNCE_ADDRESS = "bounces@games.example.net"
    emails = [greet(), greet("bruno@example.org")]
    assert deliver_due() == 2
    named = [numbers_in(sender, settings.BOUNCE_ADDRESS, "bounces", 1) for sender in moody.senders]
    assert named == [[email.pk] for email in emails]
    assert len({sender.partition("@")[0] for sender in moody.senders}) == 2
    assert all(len(sender.partition("@")[0]) <= 64 for sender in moody.senders)  # RFC 5321, 4.5.3.1.1


@pytest.mark.parametrize("bounces", ["", "bounces@games.example.net"])
def test_the_sender_a_reader_sees_is_the_same(
    greet: Any, smtp_sink: Any, settings: Any, bounces: str
) -> None:
    settings.BOUNCE_ADDRESS = bounces
    greet()
    deliver_due()
    assert smtp_sink.messages[0]["From"] == sender()
    assert "bounces" not in smtp_sink.messages[0].as_string()


def test_without_a_bounce_address_the_sender_is_the_return_path(greet: Any, moody: Any) -> None:
    greet()
    deliver_due()
    assert moody.senders == ["condottiere@testserver"]


def test_a_kept_email_shows_the_sender_too(greet: Any, settings: Any) -> None:
    settings.BOUNCE_ADDRESS = "bounces@games.example.net"
    settings.EMAIL_BACKEND = "accounts.mail.capture.CaptureBackend"
    greet()
    deliver_due()
    assert ["From", sender()] in CapturedEmail.objects.get().headers
    assert not SuppressedAddress.objects.exists()
