"""`manage.py operator_link`: the link that `play` prints, for sites whose parts are started separately."""

from typing import Any

from django.core.management.base import BaseCommand

from condottiere_site.operators import operator, sign_in_url


class Command(BaseCommand):
    """Print a link that signs the operator in once, within a day."""

    help = "Prints a link that signs the operator in once, within a day."

    def handle(self, **options: Any) -> None:
        """Print the link; create the operator's account if there is none."""
        self.stdout.write(sign_in_url(operator()))
