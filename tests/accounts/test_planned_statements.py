"""A statement that is planned once says what it would say otherwise, on any database, behind any pooler."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import ProgrammingError, connection, transaction

from accounts.composed import Planned, rows
from accounts.models import User

TEXT = "SELECT id, name FROM accounts_user WHERE name = %s AND id > %s ORDER BY id"


@pytest.fixture
def named() -> Iterator[Planned]:
    yield Planned("people_called", TEXT)
    Planned.is_possible = True
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("DEALLOCATE ALL")


@pytest.mark.django_db
def test_it_says_what_the_statement_says_each_time(named: Planned, anna: Any, bruno: Any) -> None:
    assert named.rows("Anna", 0) == rows(TEXT, "Anna", 0) == [(anna.pk, "Anna")]
    assert named.rows("Bruno", anna.pk) == [(bruno.pk, "Bruno")]
    User.objects.filter(pk=bruno.pk).update(name="Anna")
    assert [name for _pk, name in named.rows("Anna", 0)] == ["Anna", "Anna"]
    assert named.rows("'; DROP TABLE accounts_user; --", 0) == []


@pytest.mark.django_db(transaction=True)
def test_where_the_plan_is_lost_the_statement_itself_is_asked(named: Planned, anna: Any) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("plans are PostgreSQL's")
    named.rows("Anna", 0)
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")
    with pytest.raises(ProgrammingError), transaction.atomic():
        named.rows("Anna", 0)
    assert [named.rows("Anna", 0) for _time in range(2)] == [[(anna.pk, "Anna")]] * 2
    assert not Planned.is_possible
