"""`manage.py rate_tables`: recompute all ratings from counted tables and report what changed."""

from typing import Any

from django.core.management.base import BaseCommand

from accounts import clock
from games.leagues.services.league_ratings import rate_all


class Command(BaseCommand):
    """Print one line per changed rating and a summary line."""

    help = "Computes all ratings anew from what is stored of leagues' tables, and names what was otherwise."

    def handle(self, **options: Any) -> None:
        """Recompute the ratings; the exit status is always 0 because the ratings are correct afterwards."""
        found = rate_all(clock.now())
        for told in found:
            self.stdout.write(told)
        self.stdout.write(f"Ratings computed anew; differences: {len(found)}.")
