"""Fixtures for tests of hours: Anna in Berlin on a Wednesday, and a receiver of changes of her hours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from accounts.signals import hours_changed
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
def told() -> Iterator[list[Any]]:
    """What a receiver of changed hours was called with."""
    with receiving(watching.note):
        yield watching.told
    watching.told.clear()


@contextmanager
def receiving(receiver: Callable[..., None]) -> Iterator[None]:
    """Connect one more receiver of changed hours."""
    hours_changed.connect(receiver)
    try:
        yield
    finally:
        hours_changed.disconnect(receiver)
