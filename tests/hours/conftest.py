"""Fixtures for tests of hours: Anna in Berlin on a Wednesday, and a listener for changes of her hours."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from tests.hours import watching

WEDNESDAY = datetime(2026, 11, 18, 11, tzinfo=UTC)  # noon in Berlin


@pytest.fixture
def today() -> Iterator[Any]:
    with time_machine.travel(WEDNESDAY, tick=False) as traveller:
        yield traveller


@pytest.fixture
def berliner(anna: Any, today: Any) -> Any:
    anna.time_zone = "Europe/Berlin"
    anna.save()
    return anna


@pytest.fixture
def told(settings: Any) -> Iterator[list[Any]]:
    """What a listener for changed hours received."""
    settings.HOURS_WATCHERS = ["tests.hours.watching.note"]
    yield watching.told
    watching.told.clear()
