"""A world that is built once for all tests of a file, and is as it was built for each of them.

A file that uses it must not have the mark `django_db`: its tests run inside one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from accounts import clock


def built_once(build: Callable[[], Any], now: Callable[[], datetime] = timezone.now) -> tuple[Any, Any]:
    """Return the fixtures `built` and `db` for a file: what `build` made at that time, and for each test a
    savepoint."""

    @pytest.fixture(scope="module")
    def built(django_db_setup: None, django_db_blocker: Any) -> Iterator[Any]:
        with django_db_blocker.unblock(), transaction.atomic():
            with clock.use_clock(now):
                made = build()
            yield made
            transaction.set_rollback(True)

    @pytest.fixture
    def db(built: Any, django_db_blocker: Any) -> Iterator[None]:
        with django_db_blocker.unblock(), transaction.atomic():
            yield
            transaction.set_rollback(True)

    return built, db
