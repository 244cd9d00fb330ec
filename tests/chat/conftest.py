"""A table of Anna, Bruno and Carla, emails in memory, and messages that wait a while."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from accounts import clock as site_clock
from games.models import Table
from tests.digests.days import Days
from tests.games.playing import seat_table


@pytest.fixture(autouse=True)
def emails_in_memory(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.CHAT_HOLD = timedelta(minutes=5)


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


@pytest.fixture
def table(people: list[Any]) -> Table:
    """A table of four that still needs players; Anna is its host."""
    return seat_table(people, size=4)


@pytest.fixture
def days(db: None) -> Iterator[Days]:
    """A clock at Monday, 2 November 2026, 12:00 UTC, which moves only when told to."""
    clock = Days()
    with site_clock.use_clock(lambda: clock.now):
        yield clock
