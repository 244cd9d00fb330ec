"""`manage.py check_leagues`: recompute seasons and report differences; changes nothing but with --mend."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from games.leagues.integrity import recomputed
from games.leagues.models import Season
from games.leagues.services.unrecorded_absences import record_absences


class Command(BaseCommand):
    """Print one line per difference and a summary line."""

    help = "Recompute every league season from its games and report differences."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the option that mends what a known fault of an older release recorded wrongly."""
        parser.add_argument(
            "--mend",
            action="store_true",
            help="first record players whom tables left out while away, where release 0.1.0 did not; "
            "print each",
        )

    def handle(self, **options: Any) -> None:
        """Run the checks; exit with status 1 if anything differs."""
        seasons = found = 0
        for season in Season.objects.select_related("league").order_by("pk"):
            seasons += 1
            for mended in record_absences(season) if options["mend"] else ():
                self.stdout.write(f"{season}: {mended}")
            for difference in recomputed(season):
                self.stdout.write(f"{season}: {difference}")
                found += 1
        self.stdout.write(f"Seasons checked: {seasons}. Differences found: {found}.")
        if found:
            sys.exit(1)
