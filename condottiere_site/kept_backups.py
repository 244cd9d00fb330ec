"""Automatic backups in one folder: named by date, the newest few are kept, the last one is noted.

What isn't an automatic backup of this very site is never deleted, so the folder may hold other files.
"""

import importlib.util
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError

from accounts import clock
from condottiere_site.backups import PART, BackupError, Manifest, make_backup, read_manifest, remove_part
from condottiere_site.database_state import database_state, unusable
from condottiere_site.models import Installation

STAMP = "%Y-%m-%d-%H%M%S"  # in UTC


@dataclass(frozen=True)
class KeptBackup:
    """One automatic backup: its file, and when it was made."""

    path: Path
    made_at: datetime


def make_kept_backup(folder: Path, keep: int) -> Path:
    """Write a backup into the folder, note it, then delete all but the newest `keep`. Raises BackupError."""
    if not folder.is_dir():
        raise BackupError(f"There's no folder {folder}. Make it, or mount its disk. Nothing was changed.")
    try:
        with _alone_in(folder):
            return _make_kept_backup(folder, keep)
    except OSError as error:
        raise BackupError(f"{error.filename or folder} can't be used: {error.strerror}.") from error


def _make_kept_backup(folder: Path, keep: int) -> Path:
    problem = _problem()
    if problem:
        raise BackupError(problem)
    for part in folder.glob(f".{_site()}-*.backup.*{PART}"):
        remove_part(part)  # of a run that was killed
    path = folder / f"{_site()}-{clock.now().astimezone(UTC):{STAMP}}.backup"
    manifest = make_backup(path)
    _note(path, manifest)
    others = [backup.path for backup in kept_backups(folder) if backup.path != path]
    for old in others[keep - 1 :]:
        old.unlink()
    return path


def kept_backups(folder: Path) -> list[KeptBackup]:
    """Return the automatic backups of this site in the folder, the newest first.

    Those that seem to be made later than now are the oldest: the clock was ahead, and has been put back.
    """
    found = [backup for path in folder.iterdir() if (backup := _as_kept_backup(path))]
    now = clock.now()
    return sorted(found, key=lambda one: (one.made_at <= now, one.made_at), reverse=True)


def _problem() -> str:
    try:
        return database_state().serving_problem
    except DatabaseError as error:
        return unusable(error)


def _as_kept_backup(path: Path) -> KeptBackup | None:
    """Return the backup if the file has the name and the content that this module gave it."""
    if not _file_name().fullmatch(path.name) or path.is_symlink() or not path.is_file():
        return None
    try:
        manifest = read_manifest(path)
        made_at = datetime.fromisoformat(manifest.made_at)
    except (BackupError, ValueError):
        return None  # damaged, or made by something else: for people to judge
    return KeptBackup(path, made_at) if manifest.site == settings.SITE_URL else None


def _site() -> str:
    return re.sub(r"[^a-z0-9.-]+", "-", settings.SITE_HOST)


def _file_name() -> re.Pattern[str]:
    return re.compile(rf"{re.escape(_site())}-\d{{4}}-\d{{2}}-\d{{2}}-\d{{6}}\.backup")


def _note(path: Path, manifest: Manifest) -> None:
    facts = {
        "backup_made_at": datetime.fromisoformat(manifest.made_at),
        "backup_size": path.stat().st_size,
        "backup_file": str(path.absolute()),
    }
    try:
        Installation.objects.update_or_create(
            pk=1, defaults=facts, create_defaults=facts | {"version": manifest.version}
        )
    except DatabaseError as error:
        raise BackupError(
            f"{path} is complete, but the database can't note it: {str(error).strip()}. "
            "No older backup was deleted."
        ) from error


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keep other runs out of the folder. Raises BackupError if there is one."""
    if importlib.util.find_spec("fcntl") is None:
        yield  # Windows refuses to delete a file that is being written
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        raise BackupError(
            f"A backup into {folder} is being made. Wait for it. Nothing was changed."
        ) from error
    except OSError:
        pass  # a file system without locks, such as a mounted cloud
    try:
        yield
    finally:
        os.close(handle)
