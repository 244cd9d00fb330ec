"""`manage.py backup FILE`: the whole site in one file, also while it runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import filesizeformat

from condottiere_site.backups import BackupError, make_backup


class Command(BaseCommand):
    """Write the database and the key to a file that only its owner can read."""

    help = "Writes the database and the key that signs links to one file, also while the site runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the file to write."""
        parser.add_argument("file", type=Path, metavar="FILE", help="where to; it must not exist yet")

    def handle(self, *, file: Path, **options: Any) -> None:
        """Write the backup."""
        try:
            make_backup(file)
        except BackupError as error:
            raise CommandError(str(error)) from error
        size = filesizeformat(file.stat().st_size)
        self.stdout.write(f"{file} is complete ({size}). It contains secrets: keep it in a safe place.")
