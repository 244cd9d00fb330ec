"""Restore to SQLite: into a file next to the database's, renamed when it is complete."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection, connections

from condottiere_site.after_restore import after_restore
from condottiere_site.backups import DATABASE, BackupError, Manifest, opened
from condottiere_site.database_state import database_state
from condottiere_site.restore_checks import UNCHANGED
from condottiere_site.restored_key import keep_key


def fill_sqlite(path: Path, _manifest: Manifest, key: str) -> None:
    """Restore the backup's database and key. Raises BackupError if there is a database already."""
    target = Path(str(connection.settings_dict["NAME"])).absolute()
    for file in (target, *_companions(target)):
        if file.exists() and file.stat().st_size:
            raise BackupError(
                f"There's a database already: {file}. Move it away, with its -wal and -shm files. {UNCHANGED}"
            )
    part = target.with_name(f".{target.name}.restoring")
    try:
        _extract(path, part)
        with _database_at(part):
            problem = database_state(with_any_key=True).serving_problem  # its key comes with it
            if problem:
                raise BackupError(f"The backup can't be used. {problem}")
            after_restore()
        keep_key(key)
        part.rename(target)
    finally:
        for file in (part, *_companions(part)):
            file.unlink(missing_ok=True)


def _companions(database: Path) -> list[Path]:
    return [database.with_name(f"{database.name}-{suffix}") for suffix in ("wal", "shm", "journal")]


def _extract(path: Path, part: Path) -> None:
    for left in (part, *_companions(part)):
        left.unlink(missing_ok=True)  # of a restore that was killed
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file, opened(path) as archive, archive.open(DATABASE) as database:
        shutil.copyfileobj(database, file)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _database_at(path: Path) -> Iterator[None]:
    """Let the site's connection be to this file; afterwards everything is in it, and nothing next to it."""
    given = connections.settings["default"]
    name = given["NAME"]
    connection.close()
    given["NAME"] = str(path)
    try:
        yield
    finally:
        connection.close()
        given["NAME"] = name
