"""Who wants the database is never given a connection of which the server has hung up."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection
from psycopg_pool import ConnectionPool

from condottiere_site import lines
from condottiere_site.lines import Line

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.once,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="lines are PostgreSQL's"),
]


@pytest.fixture
def line() -> Iterator[Line]:
    """One that the pool has lent before."""
    with Line.connect(**connection.get_connection_params(), autocommit=True) as line:
        ConnectionPool.check_connection(line)
        yield line


def questions_before(line: Line, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is asked of the line before it is lent again."""
    found: list[str] = []
    execute = psycopg.Connection.execute

    def noted(line: Line, query: str) -> object:
        found.append(query)
        return execute(line, query)

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.Connection, "execute", noted)
        ConnectionPool.check_connection(line)
    return found


def test_a_line_is_lent_again_without_a_question(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    assert questions_before(line, monkeypatch) == []
    assert line.execute("SELECT 1").fetchone() == (1,)
    assert questions_before(line, monkeypatch) == []


def test_a_line_on_which_nothing_was_heard_for_a_while_is_asked(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "ASKED_EVERY", 0)
    assert questions_before(line, monkeypatch) == [""]


def test_a_line_whose_end_is_dead_is_not_lent(line: Line) -> None:
    end(line.info.backend_pid)
    with pytest.raises(psycopg.OperationalError):
        ConnectionPool.check_connection(line)


@pytest.mark.parametrize("times", [1, 5])
def test_nobody_is_lent_a_line_whose_end_is_dead(times: int) -> None:
    for _time in range(times):
        dead = borrowed()
        connection.close()
        end(dead)
        assert borrowed() != dead


def borrowed() -> int:
    """The number of the server's process at the other end of the line that the pool lends now."""
    connection.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def end(process: int) -> None:
    """Ends this process of the server, past the pool."""
    with psycopg.connect(**connection.get_connection_params()) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [process])
