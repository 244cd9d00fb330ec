"""A clock that tests move forward, and the emails that leave by it."""

from collections.abc import Iterator
from typing import Any

import pytest

from accounts import clock as site_clock
from tests.digests.days import Days


@pytest.fixture
def days(settings: Any, db: None) -> Iterator[Days]:
    """A clock at Monday, 2 November 2026, 12:00 UTC, which moves only when told to."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    clock = Days()
    with site_clock.use_clock(lambda: clock.now):
        yield clock


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]
