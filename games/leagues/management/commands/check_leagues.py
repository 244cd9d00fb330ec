"""`manage.py check_leagues`: computes seasons and ratings anew and names what differs. Changes nothing."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from games.leagues.integrity import recomputed
from games.leagues.models import Season
from games.leagues.services.league_ratings import differences


class Command(BaseCommand):
    """One line for each difference, and one at the end."""

    help = "Computes all seasons and ratings of leagues anew and names what differs. Changes nothing."

    def handle(self, **options: Any) -> None:
        """The exit status is 1 if anything differs."""
        seasons = found = 0
        for season in Season.objects.select_related("league").order_by("pk"):
            seasons += 1
            for told in recomputed(season):
                self.stdout.write(f"{season}: {told}")
                found += 1
        for told in differences():
            self.stdout.write(told)
            found += 1
        self.stdout.write(f"Seasons computed anew: {seasons}; differences: {found}.")
        if found:
            sys.exit(1)
