"""A database that can store nothing: pretended for a walk through the site, or made for SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection, transaction

from accounts.mail.models import CapturedEmail

WRITES = ("INSERT", "UPDATE", "DELETE")


def disk_full() -> OperationalError:
    """What Django raises when this database's disk is full."""
    error = OperationalError("the disk is full")
    if connection.vendor == "sqlite":
        error.__cause__ = sqlite3.OperationalError("database or disk is full")
        error.__cause__.sqlite_errorcode = sqlite3.SQLITE_FULL
    else:
        error.__cause__ = psycopg.errors.DiskFull("could not extend file: No space left on device")
    return error


@contextmanager
def full_disk(
    after: int = 0, error: Callable[[], Exception] = disk_full, only: str = ""
) -> Iterator[list[str]]:
    """Refuse to write, after so many writes that still have room; yield what was refused.

    With `only`, no statements but those with these words are refused.
    """
    refused, room = list[str](), [after]

    def run(execute: Callable[..., Any], sql: str, *more: Any) -> Any:
        if sql.lstrip().startswith(WRITES) and only in sql:
            room[0] -= 1
            if room[0] < 0:
                refused.append(sql)
                raise error()
        return execute(sql, *more)

    with connection.execute_wrapper(run), _a_savepoint_for_each_block():
        yield refused


@contextmanager
def _a_savepoint_for_each_block() -> Iterator[None]:
    """Undo what failed in a test inside a transaction, as the end of a block does elsewhere.

    Elsewhere a statement that fails outside of all blocks undoes nothing else either.
    """
    begin, mark, outside = transaction.Atomic.__init__, transaction.mark_for_rollback_on_error, _blocks()

    def begin_with_savepoint(block: transaction.Atomic, using: str, _savepoint: bool, durable: bool) -> None:
        begin(block, using, True, durable)

    @contextmanager
    def mark_own_block(using: str) -> Iterator[None]:
        with mark(using) if _blocks() > outside else nullcontext():
            yield

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transaction.Atomic, "__init__", begin_with_savepoint)
        patch.setattr(transaction, "mark_for_rollback_on_error", mark_own_block)
        yield


def _blocks() -> int:
    """Return how many blocks the present statement is in."""
    return connection.in_atomic_block + len(connection.savepoint_ids)


@contextmanager
def sqlite_without_room() -> Iterator[None]:
    """Let SQLite's file grow no more, and fill what is free in it."""
    with connection.cursor() as cursor:
        most = cursor.execute("PRAGMA max_page_count").fetchone()[0]
        pages = cursor.execute("PRAGMA page_count").fetchone()[0]
        cursor.execute(f"PRAGMA max_page_count = {pages}")
        for size in (3000, 300, 30):
            _fill("x" * size)
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA max_page_count = {most}")


def _fill(text: str) -> None:
    while True:
        try:
            CapturedEmail.objects.create(to="x@example.org", subject="x", text=text)
        except OperationalError:
            return
