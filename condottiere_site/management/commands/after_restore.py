"""`manage.py after_restore`: what `restore` does last, for a site restored by other means."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from condottiere_site.after_restore import after_restore
from condottiere_site.database_state import database_state, unusable
from condottiere_site.running import SiteRuns, alone


class Command(BaseCommand):
    """Skip lost numbers, close old emails and record the outage, once."""

    help = (
        "For a site restored by other means than `restore`, before it starts: lets numbers begin higher, "
        "closes emails queued before the backup, and gives back the time since then. "
        "Does nothing more until the site has run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the option that closes no emails."""
        parser.add_argument(
            "--moved", action="store_true", help="the site only moved to another database: close no emails"
        )

    def handle(self, *, moved: bool, **options: Any) -> None:
        """Bring the site up to now, unless it runs."""
        try:
            problem = database_state().serving_problem
            if problem:
                raise CommandError(problem)
            with alone():
                is_done = after_restore(only_moved=moved)
        except SiteRuns as error:
            raise CommandError(str(error)) from error
        except DatabaseError as error:
            raise CommandError(unusable(error)) from error
        self.stdout.write(
            "Done. Start the site." if is_done else "This was done already. Nothing was changed."
        )
