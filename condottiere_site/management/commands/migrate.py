"""`manage.py migrate`: Django's own, but only for this site's database; it notes the release there."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import DatabaseError

from condottiere_site.database_state import database_state, unusable
from condottiere_site.releases import note_release


class Command(migrate.Command):
    """Migrate, or say in a sentence why this database must not be changed."""

    notes_release = True  # an upgrade does so at its end

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Look at the database first, even before the checks, which open it for writing."""
        try:
            state = database_state()
        except DatabaseError as error:
            raise CommandError(unusable(error)) from error
        if state.problem:
            raise CommandError(state.problem)
        return super().execute(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate; note the release when everything is applied."""
        super().handle(*args, **options)
        if self.notes_release:
            note_release()
