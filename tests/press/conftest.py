"""A table of Anna, Bruno and Carla, letters in memory, and messages that wait a while."""

from datetime import timedelta
from typing import Any

import pytest

from games.models import Table
from tests.games.playing import seat_table


@pytest.fixture(autouse=True)
def letters_in_memory(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.TALK_HOLD = timedelta(minutes=5)


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


@pytest.fixture
def table(people: list[Any]) -> Table:
    """A table of four that still gathers players; Anna is its host."""
    return seat_table(people, size=4)
