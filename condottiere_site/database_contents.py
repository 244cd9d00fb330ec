"""Names of the tables, columns, indexes and keys that a database has. Only looks.

They are read over a connection of its own, which is closed at once. On SQLite even opening a file for writing
would change it, so it is opened read-only here.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import load_backend

from condottiere_site.models import Installation

Migrations = frozenset[tuple[str, str]]
_NONE = frozenset[Any]()

COLUMNS = {
    "sqlite": "SELECT made.name, held.name FROM sqlite_master AS made, pragma_table_info(made.name) AS held "
    "WHERE made.type = 'table'",
    "postgresql": "SELECT table_name, column_name FROM information_schema.columns "
    "WHERE table_schema = ANY (current_schemas(false))",
}
INDEXES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'index'",
    "postgresql": "SELECT indexname FROM pg_indexes WHERE schemaname = ANY (current_schemas(false))",
}
KEYS = (
    "SELECT relname, count(*) FILTER (WHERE contype = 'p'), count(*) FILTER (WHERE contype = 'f') "
    "FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid "
    "WHERE pg_table_is_visible(pg_class.oid) GROUP BY relname"
)


@dataclass(frozen=True)
class DatabaseContents:
    """Names of what is in the database; columns as (table, column), and how many keys a table has."""

    tables: frozenset[str]
    applied: Migrations
    columns: frozenset[tuple[str, str]]
    indexes: frozenset[str]
    keys: dict[str, tuple[int, int]] | None  # primary, foreign; None on SQLite, where a table has all of its
    version: str
    previous_version: str
    key_digest: str


NOTHING = DatabaseContents(_NONE, _NONE, _NONE, _NONE, None, "", "", "")


def migrations_table() -> str:
    """Return the name of the table in which Django records migrations."""
    return MigrationRecorder.Migration._meta.db_table


def read_contents() -> DatabaseContents:
    """Read what is in the site's database; a file that isn't there has nothing."""
    name = Path(str(connections["default"].settings_dict["NAME"]))
    if connections["default"].vendor == "sqlite" and (not name.exists() or not name.stat().st_size):
        return NOTHING
    with looking() as connection:
        return _ContentsReader(connection).found()


@contextmanager
def looking(connect_within: int = 0) -> Iterator[BaseDatabaseWrapper]:
    """Open a connection apart from the site's, without a pool; on SQLite it can only read.

    It waits for so many seconds, if this is given: for PostgreSQL to answer, or for SQLite's lock.
    """
    given = connections.settings["default"]
    name = "timeout" if connections["default"].vendor == "sqlite" else "connect_timeout"
    limits = {name: connect_within} if connect_within else {}
    if connections["default"].vendor == "sqlite":
        given = given | {"NAME": f"{Path(str(given['NAME'])).absolute().as_uri()}?mode=ro", "OPTIONS": limits}
    else:
        without_pool = {name: value for name, value in given["OPTIONS"].items() if name != "pool"}
        given = given | {"OPTIONS": without_pool | limits}
    with closing(load_backend(given["ENGINE"]).DatabaseWrapper(given, "looking")) as connection:
        yield connection


class _ContentsReader:
    """Reads the names of what is in a database: a few queries, whatever there is."""

    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self._connection = connection

    def found(self) -> DatabaseContents:
        vendor = self._connection.vendor
        tables = frozenset(self._connection.introspection.table_names())
        rows = self._read_columns("app, name", migrations_table(), tables)
        columns = frozenset(self._query(COLUMNS[vendor]))
        row = Installation._meta.db_table
        own = self._read_columns("version, previous_version", row, tables)
        version, previous_version = own[0] if own else ("", "")
        # Databases of 0.1.0 don't have it.
        noted = self._read_columns("key_digest", row, tables) if (row, "key_digest") in columns else []
        return DatabaseContents(
            tables=tables,
            applied=frozenset(rows),
            columns=columns,
            indexes=frozenset(name for (name,) in self._query(INDEXES[vendor])),
            keys=None if vendor == "sqlite" else {table: (p, f) for table, p, f in self._query(KEYS)},
            version=version,
            previous_version=previous_version,
            key_digest=noted[0][0] if noted else "",
        )

    def _read_columns(self, columns: str, table: str, tables: frozenset[str]) -> list[Any]:
        if table not in tables:
            return []
        return self._query(f"SELECT {columns} FROM {self._connection.ops.quote_name(table)}")  # noqa: S608

    def _query(self, sql: str) -> list[Any]:
        with self._connection.cursor() as cursor:
            cursor.execute(sql)
            return cast(list[Any], cursor.fetchall())
