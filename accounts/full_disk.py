"""What to do while the database can store nothing, because its disk is full, broken or read-only.

Reading goes on: a page leaves out what it would only have noted. Everything else is refused whole, or waits.
"""

import errno
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, connection, transaction

logger = logging.getLogger(__name__)

_SQLITE = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY}
_POSTGRESQL = {"53100", "58030", "25006"}  # disk_full, io_error, read_only_sql_transaction
_SORT = "SELECT count(*) FROM (SELECT 1 FROM generate_series(1, 5000) AS n ORDER BY md5(n::text)) AS sorted"
_FILES = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}


def cannot_store(error: BaseException | None) -> bool:
    """Return whether something failed only because nothing can be stored. Then none of it was stored."""
    if isinstance(error, OSError):
        return error.errno in _FILES
    if not isinstance(error, DatabaseError):
        return False
    cause = error.__cause__  # what the driver raised
    is_sqlite = getattr(cause, "sqlite_errorcode", 0) & 0xFF in _SQLITE
    return is_sqlite or getattr(cause, "sqlstate", None) in _POSTGRESQL


def was_full(error: BaseException | None) -> bool:
    """Return whether nothing could be stored, also if a library raised another error because of that."""
    return first_cause(error) is not None


def first_cause(error: BaseException | None) -> BaseException | None:
    """Return the error that says that nothing can be stored, among those that led to this one, or None."""
    while error is not None and not cannot_store(error):
        error = error.__cause__ or error.__context__
    return error


def raise_if_full(error: BaseException) -> None:
    """Raise the error again if nothing can be stored; then other rows would fail as well.

    SQLite may already have undone the whole transaction, so that nothing may follow in it.
    """
    if cannot_store(error):
        raise error


def require_room() -> None:
    """Raise DatabaseError if PostgreSQL has no room for new rows; changing old ones may still work then.

    A sort that exceeds its memory needs a file, but leaves nothing behind.
    """
    if connection.vendor != "postgresql":
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL work_mem = '64kB'")
        cursor.execute(_SORT)


@contextmanager
def optional_write(what: str) -> Iterator[None]:
    """Leave out what is written inside while nothing can be stored. `what` names it in the log.

    Never use it inside a transaction: SQLite may undo all of that.
    """
    try:
        with transaction.atomic():
            yield
    except DatabaseError as error:
        raise_unless_full(error)
        logger.warning("%s is left out, because nothing can be stored: %s", what, error)


def raise_unless_full(error: BaseException) -> None:
    """Raise the error again unless it means that nothing can be stored."""
    if not cannot_store(error):
        raise error
