"""No request is given a database connection whose server has died."""

from __future__ import annotations

import psycopg
import pytest
from django.db import connection

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.once,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no server"),
]


@pytest.mark.parametrize("times", [1, 5])
def test_no_dead_connection_is_lent(times: int) -> None:
    for _time in range(times):
        dead = borrowed()
        connection.close()
        end(dead)
        assert borrowed() != dead


def borrowed() -> int:
    """The number of the server's process at the other end of the connection that the pool lends now."""
    connection.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def end(process: int) -> None:
    """Ends this process of the server, past the pool."""
    with psycopg.connect(**connection.get_connection_params()) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [process])
