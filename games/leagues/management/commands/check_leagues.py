"""`manage.py check_leagues`: recompute seasons and report differences; changes nothing."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from games.leagues.integrity import recomputed
from games.leagues.models import Season


class Command(BaseCommand):
    """Print one line per difference and a summary line."""

    help = "Recompute every league season from its games and report differences. Changes nothing."

    def handle(self, **options: Any) -> None:
        """Run the checks; exit with status 1 if anything differs."""
        seasons = found = 0
        for season in Season.objects.select_related("league").order_by("pk"):
            seasons += 1
            for difference in recomputed(season):
                self.stdout.write(f"{season}: {difference}")
                found += 1
        self.stdout.write(f"Seasons checked: {seasons}. Differences found: {found}.")
        if found:
            sys.exit(1)
