"""One world for all tests of a file that walks the addresses of the site.

A file that imports these fixtures must not use the mark `django_db`: its tests run inside one transaction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction

from tests.access.world import World


@pytest.fixture(scope="module")
def shared_world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """Build the world once, and roll it back after the file's tests."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield World()
        transaction.set_rollback(True)


@pytest.fixture
def db(shared_world: World, django_db_blocker: Any) -> Iterator[None]:
    """Roll back what a test changes in the shared world."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def world(db: None, shared_world: World) -> World:
    """Return the shared world as it was built."""
    return shared_world
