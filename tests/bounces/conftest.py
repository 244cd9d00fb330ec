"""A site that gives its emails return paths, and emails that went out from it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.models import OutgoingEmail
from accounts.mail.return_paths import return_path
from tests.mail.builders import GREETING

BOUNCES = "bounces@games.example.net"


@pytest.fixture(autouse=True)
def emails_come_back(settings: Any) -> None:
    settings.BOUNCE_ADDRESS = BOUNCES


@pytest.fixture
def one_kind_more(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMAIL_KINDS, "greeting", GREETING)
    settings.TEMPLATES = [
        settings.TEMPLATES[0] | {"DIRS": [*settings.TEMPLATES[0]["DIRS"], "tests/mail/templates"]}
    ]


@pytest.fixture
def went(db: None) -> Callable[..., OutgoingEmail]:
    """Return an email that the mail server accepted."""
    count = iter(range(1, 10_000))

    def send(to: str = "anna@example.org", **columns: Any) -> OutgoingEmail:
        found = {
            "kind": "your_turn",
            "state": OutgoingEmail.State.SENT,
            "attempts": 1,
            "sent_at": timezone.now(),
        }
        row: dict[str, Any] = found | columns
        return OutgoingEmail.objects.create(
            to_address=to, key=f"went-{next(count)}", not_before=timezone.now(), **row
        )

    return send


@pytest.fixture
def path_of() -> Callable[[OutgoingEmail], str]:
    """Return the email's return path."""
    return lambda email: return_path(email.pk)
