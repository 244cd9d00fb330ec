"""`manage.py credit_outage FROM TO`: give all players back the time of an outage."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts import clock
from games.clocks.outages import credit_outage
from games.management.moments import read_moment

LONGEST_AGO = timedelta(days=366)


class Command(BaseCommand):
    """For outages that the site does not notice itself, such as pages that could not be reached."""

    help = (
        "Gives players back the time in which they could not use the site. When its own ticks stop, the site "
        "does this automatically. The same time is never given back twice."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add arguments: the start and end of the outage."""
        parser.add_argument("start", metavar="FROM", help="such as 2026-03-02T14:00, in the site's zone")
        parser.add_argument("end", metavar="TO", help="such as 2026-03-02T16:30, not in the future")

    def handle(self, *, start: str, end: str, **options: Any) -> None:
        """Give the time back; raise CommandError for an empty or future span."""
        now, first, last = clock.now(), read_moment(start), read_moment(end)
        if not first < last <= now:
            raise CommandError("FROM must be before TO, and TO must not be in the future.")
        if now - first > LONGEST_AGO:
            raise CommandError("FROM is more than a year ago. Only time within a year can be given back.")
        games = credit_outage(first, last, now)
        self.stdout.write(f"Gave time back in {games} game{'' if games == 1 else 's'}.")
