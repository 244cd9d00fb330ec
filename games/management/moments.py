"""Moments as an operator writes them after a command."""

from datetime import UTC, datetime

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from accounts.local_times import typed_instant


def read_moment(text: str) -> datetime:
    """Return the moment; without an offset it is in the site's zone. Raises CommandError."""
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None:
        raise CommandError(
            f"{text!r} is not a time. Write it like 2026-03-02T14:00 or 2026-03-02T14:00+01:00."
        )
    try:
        if timezone.is_naive(moment):
            moment = typed_instant(moment, timezone.get_default_timezone())
        return moment.astimezone(UTC)
    except ValidationError as error:
        raise CommandError(f"{error.message} Or add the time zone's offset, such as {text}+01:00.") from error
    except OverflowError as error:
        raise CommandError(f"{text!r} is out of range. Choose a later or an earlier time.") from error
