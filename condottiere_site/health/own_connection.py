"""A database connection for a look at the site's health, which waits for no pool and can't hang long."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, connections, transaction

from condottiere_site.database_contents import looking

ANSWERS_WITHIN = 2  # seconds, to connect and for each statement


@contextmanager
def own_connection() -> Iterator[None]:
    """Let this thread read the database over a new connection, in one transaction.

    Raises OperationalError if the server can't be reached. A statement that takes too long raises it too.
    """
    before = connections["default"]
    with looking(connect_within=ANSWERS_WITHIN) as apart:
        connections["default"] = apart
        try:
            with transaction.atomic():
                if apart.vendor == "postgresql":
                    _limit_statements()
                yield
        finally:
            connections["default"] = before


def _limit_statements() -> None:
    # For this transaction alone: a pooler between us may give the server's connection to others afterwards.
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = {1000 * ANSWERS_WITHIN}")
