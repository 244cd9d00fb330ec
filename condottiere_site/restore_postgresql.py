"""Restore to PostgreSQL: one transaction fills it.

A table says that a restore is going on, also after a crash.
"""

from pathlib import Path

from django.db import connection, transaction

from condottiere_site.after_restore import after_restore
from condottiere_site.backups import DATABASE, BackupError, Manifest, opened
from condottiere_site.database_state import RESTORING
from condottiere_site.postgresql import find, load
from condottiere_site.restore_checks import UNCHANGED
from condottiere_site.restored_key import keep_key


def fill_postgresql(path: Path, manifest: Manifest, key: str) -> None:
    """Restore the backup's database and key. Raises BackupError if the database isn't empty.

    After an interruption, the same backup can be restored again.
    """
    find("pg_restore")
    backup = f"{manifest.site} {manifest.made_at}"
    tables = set(connection.introspection.table_names())
    if RESTORING not in tables and tables:
        raise BackupError(f"The database isn't empty. Let DATABASE_URL name an empty one. {UNCHANGED}")
    if RESTORING in tables and tables != {RESTORING} and _backup_begun() != backup:
        raise BackupError(
            "The restore of another backup into this database was interrupted. Run that one again, "
            f"or begin with an empty database. {UNCHANGED}"
        )
    if tables <= {RESTORING}:
        _load_marked(path, backup)
    keep_key(key)
    with transaction.atomic(), connection.cursor() as cursor:
        after_restore()
        cursor.execute(f"DROP TABLE {RESTORING}")


def _load_marked(path: Path, backup: str) -> None:
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


def _backup_begun() -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT backup FROM {RESTORING}")  # noqa: S608
        row = cursor.fetchone()
    return str(row[0]) if row else ""
