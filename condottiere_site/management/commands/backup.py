"""`manage.py backup FILE`: the whole site in one file, also while it runs."""

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import filesizeformat

from condottiere_site.backups import BackupError, make_backup
from condottiere_site.kept_backups import make_kept_backup


class Command(BaseCommand):
    """Write the database and the key to a file that only its owner can read."""

    help = (
        "Writes the database and the key that signs links to one file, also while the site runs. "
        "With --keep, writes it into a folder, and deletes the oldest such files of this site there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the file to write, or the folder and how many to keep there."""
        parser.add_argument(
            "path", type=Path, metavar="PATH", help="a file that doesn't exist yet; with --keep, a folder"
        )
        parser.add_argument(
            "--keep", type=_number, metavar="N", help="keep the newest N backups in the folder"
        )

    def handle(self, *, path: Path, keep: int | None, **options: Any) -> None:
        """Write the backup."""
        try:
            if keep is None:
                file = path
                make_backup(file)
            else:
                file = make_kept_backup(path, keep)
        except BackupError as error:
            raise CommandError(str(error)) from error
        size = filesizeformat(file.stat().st_size)
        self.stdout.write(f"{file} is complete ({size}). It contains secrets: keep it in a safe place.")


def _number(value: str) -> int:
    if not value.isascii() or not value.isdigit() or not 1 <= int(value[:5]) <= 9999:
        raise ArgumentTypeError("must be a whole number between 1 and 9999")
    return int(value)
