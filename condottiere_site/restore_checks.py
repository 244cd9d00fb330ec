"""Checks whether a backup fits this site."""

from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from condottiere_site import __version__
from condottiere_site.backups import BackupError, Manifest, names_of
from condottiere_site.checks import AT_HOME

UNCHANGED = "Nothing was changed."
ENGINES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


def require_fit(manifest: Manifest) -> None:
    """Raise BackupError unless the backup is of this site, its kind of database and this release."""
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
