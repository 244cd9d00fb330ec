"""`manage.py credit_outage FROM TO`: give all players back the time of an outage."""

from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from accounts import clock
from games.clocks.outages import credit_outage


class Command(BaseCommand):
    """For outages that the site does not notice itself, such as pages that could not be reached."""

    help = (
        "Gives everybody the time back in which the service could not be used. The site notices by itself "
        "when its own ticks stopped; time given back once is not given back again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add arguments: the start and end of the outage."""
        parser.add_argument("start", metavar="FROM", help="such as 2026-03-02T14:00, in the site's zone")
        parser.add_argument("end", metavar="TO", help="likewise; not in the future")

    def handle(self, *, start: str, end: str, **options: Any) -> None:
        """Give the time back; raise CommandError for an empty or future span."""
        now, first, last = clock.now(), _moment(start), _moment(end)
        if not first < last <= now:
            raise CommandError("FROM comes before TO, and TO is not in the future.")
        games = credit_outage(first, last, now)
        self.stdout.write(f"Time was given back in {games} game{'' if games == 1 else 's'}.")


def _moment(text: str) -> datetime:
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None:
        raise CommandError(f"{text!r} is no moment; write 2026-03-02T14:00 or 2026-03-02T14:00+01:00.")
    return moment if timezone.is_aware(moment) else timezone.make_aware(moment)
