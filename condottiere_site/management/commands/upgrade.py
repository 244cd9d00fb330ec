"""`manage.py upgrade`: a new release on an existing site, safe to repeat."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from condottiere_site import __version__
from condottiere_site.upgrading import Upgrade, UpgradeError


class Command(BaseCommand):
    """Back up, migrate, collect static files, replay running games, and say what to restart."""

    help = "Brings the site to this release: backup, migrations, static files, running games replayed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the option that makes no backup."""
        parser.add_argument("--no-backup", action="store_true", help="make no backup first")

    def handle(self, *, no_backup: bool, **options: Any) -> None:
        """Run the steps that are left, and say what to restart."""
        try:
            is_new = Upgrade(self._say, with_backup=not no_backup).run(always_replay=True)
        except UpgradeError as error:
            raise CommandError(str(error)) from error
        if is_new:
            self._say(f"The site is at {__version__}. Restart web, workers and beat now.")
        else:
            self._say(f"The site is at {__version__}. If web, workers and beat are older, restart them.")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
