"""Backups: one file with the database, the site's key and a manifest. It is complete, or it doesn't exist.

The file is a zip archive, whose checksums show damage. It is written under another name and renamed.
"""

import json
import os
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import DatabaseError, connection
from django.template.defaultfilters import filesizeformat

from accounts import clock
from condottiere_site import __version__
from condottiere_site.database_state import database_state, unusable
from condottiere_site.postgresql import dump

MANIFEST, DATABASE, KEY = "manifest.json", "database", "secret_key"
NOT_A_BACKUP = "{path} isn't a backup made by this program, or it's damaged."
PART = ".part"
# What Python raises for a damaged archive. RuntimeError: also one that another program encrypted or packed
_DAMAGE = (zipfile.BadZipFile, zlib.error, KeyError, EOFError, ValueError, RuntimeError)
ROOM_LEFT = 32 * 1024 * 1024  # bytes, for what the site writes at the same time


class BackupError(Exception):
    """A backup can't be made or used. The text says why, and what to do."""


@dataclass(frozen=True)
class Manifest:
    """The part of a backup that says which site, release and database it was made of, and when."""

    site: str
    version: str
    made_at: str
    engine: str
    migrations: list[str]


def make_backup(path: Path) -> Manifest:
    """Write a backup of the site, running or not. Raises BackupError, and then leaves no file."""
    if path.exists():
        raise BackupError(f"{path} exists already. Choose another name. Nothing was changed.")
    manifest = _manifest()
    try:
        _require_room(path.parent)
        with _written_aside(path) as part:
            _write(part, manifest, path)
    except (OSError, DatabaseError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or str(error).strip()
        raise BackupError(f"The backup can't be written to {path}: {reason}. Nothing was changed.") from error
    return manifest


def remove_part(left: Path) -> None:
    """Remove an unfinished backup, or the folder in which SQLite made its copy."""
    if left.is_dir():
        for file in left.iterdir():
            file.unlink()
        left.rmdir()
    else:
        left.unlink()


def read_manifest(path: Path) -> Manifest:
    """Return the backup's manifest. Raises BackupError if the file is no backup."""
    try:
        with opened(path) as archive:
            return _parsed(archive.read(MANIFEST), path)
    except OSError as error:
        raise BackupError(f"{path} can't be read: {error.strerror}. Nothing was changed.") from error


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a backup for reading. Raises BackupError if anything in it can't be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except _DAMAGE as error:
        raise BackupError(f"{NOT_A_BACKUP.format(path=path)} Nothing was changed.") from error
    except FileNotFoundError as error:
        raise BackupError(f"There is no file {path}. Nothing was changed.") from error


def _parsed(text: bytes, path: Path) -> Manifest:
    try:
        manifest = Manifest(**json.loads(text))
        *names, migrations = asdict(manifest).values()
        if not all(isinstance(name, str) for name in (*names, *migrations)):
            raise TypeError
    except (ValueError, TypeError) as error:
        raise BackupError(f"{NOT_A_BACKUP.format(path=path)} Nothing was changed.") from error
    return manifest


def _manifest() -> Manifest:
    try:
        state = database_state()
    except DatabaseError as error:
        raise BackupError(unusable(error)) from error
    if state.problem or state.is_empty:
        raise BackupError(state.problem or "There's nothing to back up: the database is empty.")
    return Manifest(
        site=settings.SITE_URL,
        version=state.version or __version__,
        made_at=clock.now().isoformat(timespec="seconds"),
        engine=connection.vendor,
        migrations=names_of(state.applied),
    )


def names_of(migrations: frozenset[tuple[str, str]]) -> list[str]:
    """Return the migrations as a backup names them."""
    return sorted(f"{app}.{name}" for app, name in migrations)


def _require_room(folder: Path) -> None:
    """Raise BackupError if the disk would be full: the database may be on the same one."""
    needed, free = _estimated_size() + ROOM_LEFT, shutil.disk_usage(folder).free
    if free < needed:
        raise BackupError(
            f"The disk of {folder} has too little room: {filesizeformat(free)} free, and a backup may need "
            f"{filesizeformat(needed)}. Free some, or choose another disk. Nothing was changed."
        )


def _estimated_size() -> int:
    """Return how many bytes a backup may need while it's made; it's usually much smaller."""
    if connection.vendor == "sqlite":
        database = Path(str(connection.settings_dict["NAME"]))
        files = (database, database.with_name(f"{database.name}-wal"))
        return (
            sum(file.stat().st_size for file in files if file.exists()) * 3 // 2
        )  # a copy, and it compressed
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0]) // 2  # indexes aren't dumped, and the rest is compressed


@contextmanager
def _written_aside(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that only its owner can read. It gets its name once all is written."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=PART, dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.rename(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _write(part: IO[bytes], manifest: Manifest, path: Path) -> None:
    with zipfile.ZipFile(part, "w") as archive:
        archive.writestr(MANIFEST, json.dumps(asdict(manifest), indent=1))
        archive.writestr(KEY, settings.SECRET_KEY)
        # What pg_dump writes is compressed.
        kind = zipfile.ZIP_DEFLATED if manifest.engine == "sqlite" else zipfile.ZIP_STORED
        entry = zipfile.ZipInfo(DATABASE, clock.now().timetuple()[:6])
        entry.compress_type = kind
        with archive.open(entry, "w", force_zip64=True) as database:
            if manifest.engine == "sqlite":
                _copy_sqlite(database, path)
            else:
                dump(database)


def _copy_sqlite(to: IO[bytes], path: Path) -> None:
    """Write a copy made by SQLite, which is complete while others write."""
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", suffix=PART, dir=path.parent) as aside:
        copy = Path(aside, DATABASE)
        source = f"{Path(str(connection.settings_dict['NAME'])).absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(source, uri=True)) as site, closing(sqlite3.connect(copy)) as target:
            site.backup(target)
        with copy.open("rb") as file:
            shutil.copyfileobj(file, to)
