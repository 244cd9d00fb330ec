"""Whether the site runs. On SQLite its processes share a lock; a restore or upgrade takes it alone.

On PostgreSQL the server knows who is connected, and which one upgrades.
"""

import importlib.util
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.dispatch import receiver

from condottiere_site.database_contents import looking

GONE_WITHIN = 3.0  # seconds: the server sees a little later that a process has ended
CONNECTIONS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
)

UPGRADES = 7_305_217  # the server's lock while tables change: a number that no other program takes
GOES_ON = "A restore or an upgrade is going on. Wait for it. Nothing was changed."

_held: list[IO[bytes]] = []  # until this process ends
_played: list[IO[bytes]] = []  # the same
_kept_open: dict[int, sqlite3.Connection] = {}  # by process: a fork must not use its parent's


class SiteRuns(Exception):
    """The site runs, or something else has its database to itself. The text says so in a sentence."""


def begin_to_run() -> None:
    """Share the lock until this process ends. Raises SiteRuns while a restore or an upgrade goes on."""
    if connection.vendor == "sqlite" and not _held:
        _held.append(_lock_file(whole=False))


def begin_to_play() -> None:
    """Be the only `play` of this SQLite file until this process ends. Raises SiteRuns if there is one.

    Two would each put their own address into emails.
    """
    if connection.vendor == "sqlite":
        try:
            _played.append(_lock_file(whole=True, kind="play.lock"))
        except SiteRuns as error:
            raise SiteRuns("`play` runs already with this database. Stop it first.") from error


@receiver(connection_created)
def keep_one_open(connection: BaseDatabaseWrapper, **_facts: object) -> None:
    """Keep one more connection to SQLite open in each process that runs the site.

    The last one that closes deletes the -shm and -wal files. On a full disk they could not be made again,
    and then not even reading would work.
    """
    process = os.getpid()
    if _held and process not in _kept_open:
        kept = sqlite3.connect(str(connection.settings_dict["NAME"]), check_same_thread=False)
        kept.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()  # opens the files
        _kept_open[process] = kept


@contextmanager
def only_upgrade() -> Iterator[None]:
    """Keep others from changing tables inside this context. Raises SiteRuns if one does.

    On SQLite `alone` does so.
    """
    if connection.vendor == "sqlite":
        yield
        return
    with looking() as apart, apart.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [UPGRADES])
        if not cursor.fetchone()[0]:
            raise SiteRuns(GOES_ON)
        yield  # until the connection is closed, also by the death of this process


@contextmanager
def alone() -> Iterator[None]:
    """Keep the site from running inside this context. Raises SiteRuns if it runs."""
    if connection.vendor == "sqlite":
        with _lock_file(whole=True):
            yield
        return
    others = _count_other_connections()
    if others:
        raise SiteRuns(
            f"The site runs, or another program uses its database (open connections: {others}). "
            "Stop web, workers and beat. Nothing was changed."
        )
    yield


def _lock_file(*, whole: bool, kind: str = "lock") -> IO[bytes]:
    path = Path(str(connection.settings_dict["NAME"]))
    file = path.with_name(f"{path.name}.{kind}").open("ab")
    if importlib.util.find_spec("fcntl") is None:
        return file  # Windows refuses to rename or delete a file in use
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_NB | (fcntl.LOCK_EX if whole else fcntl.LOCK_SH))
    except BlockingIOError as error:
        with file:
            runs = whole and _is_shared(file)
        raise SiteRuns("The site runs. Stop it first. Nothing was changed." if runs else GOES_ON) from error
    return file


def _is_shared(file: IO[bytes]) -> bool:
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_NB | fcntl.LOCK_SH)
    except BlockingIOError:
        return False
    return True


def _count_other_connections() -> int:
    """Return how many connections others have; this process closes its own first."""
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # of PostgreSQL alone
    end = time.monotonic() + GONE_WITHIN
    with looking() as apart, apart.cursor() as cursor:
        while True:
            cursor.execute(CONNECTIONS)
            others = int(cursor.fetchone()[0])
            if not others or time.monotonic() > end:
                return others
            time.sleep(0.1)
