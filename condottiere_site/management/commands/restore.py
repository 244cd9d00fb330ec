"""`manage.py restore FILE`: a site from its backup, into an empty database."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from condottiere_site.backups import BackupError
from condottiere_site.restoring import restore


class Command(BaseCommand):
    """Fill an empty database from a backup, and do what `after_restore` does."""

    help = "Restores a backup into an empty database, with its key. The site must not run."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the file to read."""
        parser.add_argument("file", type=Path, metavar="FILE", help="a file that `backup` wrote")

    def handle(self, *, file: Path, **options: Any) -> None:
        """Restore the backup."""
        try:
            manifest = restore(file)
        except BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"{manifest.site} is as it was when the backup was made ({manifest.made_at}). "
            "Players get back the time since then. Start the site."
        )
