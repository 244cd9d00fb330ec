"""`manage.py credit_outage FROM TO`: give all players back the time of an outage."""

from argparse import ArgumentParser
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from accounts import clock
from accounts.local_times import typed_instant
from games.clocks.outages import credit_outage

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
        now, first, last = clock.now(), _moment(start), _moment(end)
        if not first < last <= now:
            raise CommandError("FROM must be before TO, and TO must not be in the future.")
        if now - first > LONGEST_AGO:
            raise CommandError("FROM is more than a year ago. Only time within a year can be given back.")
        games = credit_outage(first, last, now)
        self.stdout.write(f"Gave time back in {games} game{'' if games == 1 else 's'}.")


def _moment(text: str) -> datetime:
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None:
        raise CommandError(
            f"{text!r} is not a time. Write it like 2026-03-02T14:00 or 2026-03-02T14:00+01:00."
        )
    if timezone.is_aware(moment):
        return moment
    try:
        return typed_instant(moment, timezone.get_default_timezone())
    except ValidationError as error:
        raise CommandError(f"{error.message} Or add the time zone's offset, such as {text}+01:00.") from error
    except OverflowError as error:
        raise CommandError(f"{text!r} is out of range. Choose a time within the last year.") from error
