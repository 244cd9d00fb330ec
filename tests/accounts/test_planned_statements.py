"""A statement that is planned once says what it would say otherwise, on any database, behind any pooler."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import ProgrammingError, connection, transaction

from accounts.composed import Planned, rows
from accounts.models import User

NAME = "people_numbered"
TEXT = "SELECT id, name FROM accounts_user WHERE id >= %s AND id <= %s ORDER BY id"


@pytest.fixture
def named() -> Iterator[Planned]:
    yield Planned(NAME, TEXT)
    Planned.is_possible = True
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT name FROM pg_prepared_statements WHERE name = %s", [NAME])
            if cursor.fetchall():  # the site's own plans stay
                cursor.execute(f"DEALLOCATE {NAME}")


@pytest.mark.django_db
def test_it_says_what_the_statement_says_each_time(named: Planned, anna: Any, bruno: Any) -> None:
    assert named.rows(0, anna.pk) == rows(TEXT, 0, anna.pk) == [(anna.pk, "Anna")]
    assert named.rows(bruno.pk, bruno.pk) == [(bruno.pk, "Bruno")]
    User.objects.filter(pk=bruno.pk).update(name="Anna")
    assert [name for _pk, name in named.rows(0, bruno.pk)] == ["Anna", "Anna"]
    assert named.rows(-5, -1) == []


@pytest.mark.django_db
def test_it_takes_whole_numbers_and_nothing_else(named: Planned) -> None:
    if connection.vendor == "postgresql":
        with pytest.raises(TypeError):
            named.rows("0); DROP TABLE accounts_user; --", 0)  # type: ignore[arg-type]


@pytest.mark.once  # plans are PostgreSQL's
@pytest.mark.django_db(transaction=True)
def test_where_the_plan_is_lost_the_statement_itself_is_asked(named: Planned, anna: Any) -> None:
    named.rows(0, anna.pk)
    with connection.cursor() as cursor:
        cursor.execute(f"DEALLOCATE {NAME}")
    with pytest.raises(ProgrammingError), transaction.atomic():
        named.rows(0, anna.pk)
    assert [named.rows(0, anna.pk) for _time in range(2)] == [[(anna.pk, "Anna")]] * 2
    assert not Planned.is_possible
