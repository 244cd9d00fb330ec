"""A game whose emails are kept in memory, and replies to them."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail

from accounts.mail.delivery import deliver_due
from accounts.mail.receiving import receive
from games.models import Game
from tests.games.playing import begin_game
from tests.replies.programs import gmail, reply


@pytest.fixture(autouse=True)
def emails_in_memory(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.REPLY_ADDRESS = "reply@testserver"


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


@pytest.fixture
def game(people: list[Any]) -> Game:
    return begin_game(people)


def delivered() -> list[Any]:
    """Return the emails that leave now."""
    mail.outbox.clear()
    deliver_due()
    return list(mail.outbox)


def turn_email() -> Any:
    """Return the turn email that leaves now."""
    return next(email for email in delivered() if email.subject.startswith("Your turn"))


@pytest.fixture
def replied() -> Callable[..., list[Any]]:
    """Reply to an email with these words, twice, as mail servers may; return the receipts that follow."""

    def reply_to(email: Any, words: str, **headers: str) -> list[Any]:
        source = reply(gmail, email, words, **headers)
        for _ in range(2):
            receive(email.extra_headers["Reply-To"], source)
        return [email for email in delivered() if email.subject.startswith("Re: ")]

    return reply_to
