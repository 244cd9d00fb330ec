"""One world for all that walk the addresses of the site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction

from tests.access.world import World


@pytest.fixture(scope="package")
def shared_world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """Built once for all walkers of this process, and taken back when they are through."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield World()
        transaction.set_rollback(True)


@pytest.fixture
def world(shared_world: World, django_db_blocker: Any) -> Iterator[World]:
    """The shared world, as it was built."""
    with django_db_blocker.unblock(), transaction.atomic():
        subjects = {name: dict(values) for name, values in shared_world.subjects.items()}
        yield shared_world
        shared_world.subjects = subjects
        transaction.set_rollback(True)
