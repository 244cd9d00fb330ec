"""Restore a backup into an empty database: everything or nothing, then what a site needs after that.

SQLite's file gets its name when it's complete. PostgreSQL has a table that says so until then.
"""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.db import DatabaseError, connection, connections, transaction
from django.db.migrations.loader import MigrationLoader

from condottiere_site import __version__, environment
from condottiere_site.after_restore import after_restore
from condottiere_site.backups import (
    DATABASE,
    KEY,
    NOT_A_BACKUP,
    BackupError,
    Manifest,
    names_of,
    opened,
    read_manifest,
)
from condottiere_site.checks import AT_HOME
from condottiere_site.database_state import RESTORING, database_state
from condottiere_site.postgresql import find, load
from condottiere_site.running import SiteRuns, alone

UNCHANGED = "Nothing was changed."
ENGINES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


def restore(path: Path) -> Manifest:
    """Restore the backup, with its key. Raises BackupError if it doesn't fit, and then changes nothing."""
    manifest = read_manifest(path)
    _require_fit(manifest)
    with opened(path) as archive:
        key = archive.read(KEY).decode("ascii", "replace")
    _require_key(path, key)
    fill = _fill_sqlite if connection.vendor == "sqlite" else _fill_postgresql
    try:
        with alone():
            fill(path, manifest, key)
    except SiteRuns as error:
        raise BackupError(str(error)) from error
    except (OSError, DatabaseError) as error:
        reason = getattr(error, "strerror", None) or str(error).strip()
        raise BackupError(f"The backup can't be restored: {reason}. The database is as it was.") from error
    return manifest


# Does the backup fit this site?


def _require_fit(manifest: Manifest) -> None:
    if not _is_same_site(manifest.site, settings.SITE_URL):
        raise BackupError(
            f"This is a backup of {manifest.site}, and SITE_URL is {settings.SITE_URL}. Links in emails "
            f"already sent lead to the first. Restore with SITE_URL={manifest.site}; you can change it "
            f"afterwards. {UNCHANGED}"
        )
    if manifest.engine != connection.vendor:
        theirs, ours = ENGINES.get(manifest.engine, manifest.engine), ENGINES[connection.vendor]
        raise BackupError(
            f"This is a backup of {theirs}, and DATABASE_URL names {ours}. Restore it to {theirs}, "
            f"then move the site (docs/HOSTING.md). {UNCHANGED}"
        )
    known = set(names_of(frozenset(MigrationLoader(None).disk_migrations)))
    if set(manifest.migrations) != known:
        after = "" if set(manifest.migrations) - known else ", then run `python3 manage.py upgrade`"
        raise BackupError(
            f"This backup is of release {manifest.version}, and this code is {__version__}, with other "
            f"tables. Restore it with the code of release {manifest.version}{after}. {UNCHANGED}"
        )


def _is_same_site(one: str, other: str) -> bool:
    hosts = {urlsplit(one).hostname, urlsplit(other).hostname}
    return one == other or hosts <= AT_HOME


def _require_key(path: Path, key: str) -> None:
    if len(key) < 32:
        raise BackupError(f"{NOT_A_BACKUP.format(path=path)} {UNCHANGED}")
    if environment.text("SECRET_KEY", "") not in {"", key}:
        raise BackupError(
            "SECRET_KEY isn't the key of this backup: links in emails already sent would not open. Unset it, "
            f"or set it to the backup's (`unzip -p {path} {KEY}` shows it). {UNCHANGED}"
        )


def _keep_key(key: str) -> None:
    """Put the key where the settings read it, unless SECRET_KEY is given. Another key there is kept."""
    path = settings.STATE_DIR / "secret_key"
    if environment.text("SECRET_KEY", "") or (path.exists() and path.read_text("ascii").strip() == key):
        return
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(key)
    if path.exists():
        os.link(path, path.with_name(f"{path.name}.{secrets.token_hex(4)}.replaced"))
    part.replace(path)


# SQLite: a file next to it, renamed when it is complete


def _fill_sqlite(path: Path, _manifest: Manifest, key: str) -> None:
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
            problem = database_state().serving_problem
            if problem:
                raise BackupError(f"The backup can't be used. {problem}")
            after_restore()
        _keep_key(key)
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


# PostgreSQL: one transaction fills it; a table says that a restore is going on, also after a crash


def _fill_postgresql(path: Path, manifest: Manifest, key: str) -> None:
    find("pg_restore")
    backup = f"{manifest.site} {manifest.made_at}"
    tables = set(connection.introspection.table_names())
    if RESTORING not in tables and tables:
        raise BackupError(f"The database isn't empty. Let DATABASE_URL name an empty one. {UNCHANGED}")
    if RESTORING in tables and tables != {RESTORING} and _interrupted() != backup:
        raise BackupError(
            "The restore of another backup into this database was interrupted. Run that one again, "
            f"or begin with an empty database. {UNCHANGED}"
        )
    if tables <= {RESTORING}:
        _load(path, backup)
    _keep_key(key)
    with transaction.atomic(), connection.cursor() as cursor:
        after_restore()
        cursor.execute(f"DROP TABLE {RESTORING}")


def _load(path: Path, backup: str) -> None:
    with opened(path) as archive, archive.open(DATABASE) as database:
        while database.read(1 << 20):  # all checksums before anything is written
            pass
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {RESTORING}")
        cursor.execute(f"CREATE TABLE {RESTORING} (backup text)")
        cursor.execute(f"INSERT INTO {RESTORING} VALUES (%s)", [backup])  # noqa: S608
    try:
        with opened(path) as archive, archive.open(DATABASE) as database:
            load(database)
    except (OSError, BackupError):  # after anything else it isn't known how far it came
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE {RESTORING}")
        raise


def _interrupted() -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT backup FROM {RESTORING}")  # noqa: S608
        row = cursor.fetchone()
    return str(row[0]) if row else ""
