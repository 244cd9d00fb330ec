"""Restore a backup into an empty database: everything or nothing, then what a site needs after that.

SQLite's file gets its name when it's complete. PostgreSQL has a table that says so until then.
"""

from pathlib import Path

from django.db import DatabaseError, connection

from condottiere_site.backups import KEY, BackupError, Manifest, opened, read_manifest
from condottiere_site.restore_checks import require_fit
from condottiere_site.restore_postgresql import fill_postgresql
from condottiere_site.restore_sqlite import fill_sqlite
from condottiere_site.restored_key import require_key
from condottiere_site.running import SiteRuns, alone


def restore(path: Path) -> Manifest:
    """Restore the backup, with its key. Raises BackupError if it doesn't fit, and then changes nothing."""
    manifest = read_manifest(path)
    require_fit(manifest)
    with opened(path) as archive:
        key = archive.read(KEY).decode("ascii", "replace")
    require_key(path, key)
    fill = fill_sqlite if connection.vendor == "sqlite" else fill_postgresql
    try:
        with alone():
            fill(path, manifest, key)
    except SiteRuns as error:
        raise BackupError(str(error)) from error
    except (OSError, DatabaseError) as error:
        reason = getattr(error, "strerror", None) or str(error).strip()
        raise BackupError(f"The backup can't be restored: {reason}. The database is as it was.") from error
    return manifest
