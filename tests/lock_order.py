"""Find rows that are locked in another order than all others lock them.

Deleting an account locks it first, then seasons, games and tables, and channels and reports last. A
transaction with another order could wait for it while it waits for them. PostgreSQL then ends one of both,
and someone sees an error.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import transaction
from django.db.backends import utils

ACCOUNT = "accounts_user"
PLAY = {"games_game", "games_table", "leagues_season", "leagues_league"}
LAST = {"chat_channel", "chat_report"}
_SELECT = re.compile(r'SELECT .*? FROM "(\w+)".* FOR (?:NO KEY )?UPDATE', re.DOTALL)
_BY_NUMBER = re.compile(r'"accounts_user"\."id" (?:= |IN \()%s')
_UPDATE = re.compile(r'UPDATE "(\w+)"')


class Held(threading.local):
    """What this thread's transaction has locked: accounts by number, and the first row of each other rank."""

    accounts: frozenset[object] = frozenset()
    has_many: bool = False  # accounts found by a query, whose numbers aren't known
    play: str = ""
    last: str = ""

    def forget(self) -> None:
        self.accounts, self.has_many, self.play, self.last = frozenset(), False, "", ""


@contextmanager
def watched_locks() -> Iterator[list[str]]:
    """Yield the wrong locks of all threads, one sentence each, as they come.

    Replaces the method of Django through which each statement goes, and the end of its transactions.
    """
    found, held = list[str](), Held()
    execute, leave = utils.CursorWrapper._execute_with_wrappers, transaction.Atomic.__exit__

    def watched(self: Any, sql: Any, params: Any, many: bool, executor: Any) -> Any:
        text = str(sql)
        if "UPDATE" in text and _is_in_transaction(self.db):
            found.extend(wrong_locks(held, text, params))
        return execute(self, sql, params, many, executor)

    def left(self: Any, *error: Any) -> None:
        leave(self, *error)
        if not _is_in_transaction(transaction.get_connection(self.using)):
            held.forget()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(utils.CursorWrapper, "_execute_with_wrappers", watched)
        patch.setattr(transaction.Atomic, "__exit__", left)
        yield found


def _is_in_transaction(connection: Any) -> bool:
    """Return whether the site began a transaction, and not only the test around it."""
    return not all(block._from_testcase for block in connection.atomic_blocks)


def wrong_locks(held: Held, sql: str, params: Sequence[object] | None) -> Iterator[str]:
    """Note what a statement locks; yield what is wrong with it."""
    updated = _UPDATE.match(sql)
    waits = (updated is None and sql.endswith("UPDATE")) or ("UPDATE OF" in sql and "SKIP LOCKED" not in sql)
    selected = _SELECT.match(sql) if waits else None
    table = updated[1] if updated else selected[1] if selected else ""
    numbers = [one for one in params or () if type(one) is int]
    if table == ACCOUNT:
        locked = frozenset(numbers[-1:] if updated else numbers)
        if held.play and not held.has_many and not locked <= held.accounts:
            yield f"{held.play}, then accounts {sorted(map(str, locked))}"
        held.accounts |= locked
        held.has_many |= bool(selected) and not _BY_NUMBER.search(sql)
    elif table in PLAY and selected:
        if held.last:
            yield f"{held.last}, then {table} {numbers}"
        held.play = held.play or table
    elif table in PLAY:
        held.play = held.play or table
    elif table in LAST:
        held.last = held.last or table
