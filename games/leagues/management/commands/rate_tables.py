"""`manage.py rate_tables`: computes all ratings anew from collected tables, and says what that changed."""

from typing import Any

from django.core.management.base import BaseCommand

from accounts import clock
from games.leagues.services.league_ratings import rate_all


class Command(BaseCommand):
    """One line for each rating that was another, and one at the end."""

    help = "Computes all ratings anew from what is stored of leagues' tables, and names what was otherwise."

    def handle(self, **options: Any) -> None:
        """Ratings are right afterwards, so the exit status is 0 whatever was found."""
        found = rate_all(clock.now())
        for told in found:
            self.stdout.write(told)
        self.stdout.write(f"Ratings computed anew; differences: {len(found)}.")
