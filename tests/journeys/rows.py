"""Reads all rows of the database, so that a test can check that nothing changed."""

from django.apps import apps
from django.conf import settings
from django.db import connection

# When people were here, what their sessions remember, and how often records were downloaded.
MAY_CHANGE = {"django_session", "usersessions_usersession", "accounts_ratelimitcounter"}
RATE = ":allauth:rl:"  # HEAD and OPTIONS count against the rate of a form, GET does not


def all_rows() -> dict[str, list[tuple[object, ...]]]:
    """Return each database table's rows, without sessions, last visits and form counts."""
    tables = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    rows = {table: _rows(table) for table in sorted(tables - MAY_CHANGE)}
    cache = settings.CACHES["default"]["LOCATION"]
    return rows | {cache: [row for row in _rows(cache) if RATE not in str(row[0])]}


def _rows(table: str) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
        return sorted((tuple(_comparable(value) for value in row) for row in cursor.fetchall()), key=repr)


def _comparable(value: object) -> object:
    return bytes(value) if isinstance(value, memoryview) else value
