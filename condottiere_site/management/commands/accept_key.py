"""`manage.py accept_key`: from now on the database is used with the key that is set."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from condottiere_site.database_state import database_state, unusable
from condottiere_site.key_digest import note_key
from condottiere_site.running import SiteRuns, alone


class Command(BaseCommand):
    """Note the key in the database, where another one was noted."""

    help = (
        "After a change of SECRET_KEY on purpose: the database is used with the new key from now on. "
        "Links in emails already sent no longer open, and everyone signs in again. The site must not run."
    )

    def handle(self, **options: Any) -> None:
        """Note the key, unless the site runs."""
        try:
            problem = database_state(with_any_key=True).serving_problem
            if problem:
                raise CommandError(problem)
            with alone():
                note_key(replacing=True)
        except SiteRuns as error:
            raise CommandError(str(error)) from error
        except DatabaseError as error:
            raise CommandError(unusable(error)) from error
        self.stdout.write(
            "The database is used with this key from now on. Start the site, and make a backup."
        )
