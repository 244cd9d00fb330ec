"""The operator's page: what fails and what to do, what waits, and how much was added each day.

An operator may be a player. So nothing here changes with a single move or email: small numbers are not
shown, days are whole, and ages only once something is late (R17).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.models import Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts import clock
from accounts.durations import duration
from accounts.grouped_numbers import grouped
from accounts.mail.capture import emails_are_captured
from accounts.mail.circuit_breaker import outage
from accounts.mail.models import OutgoingEmail, SetAsideMessage, SuppressedAddress
from accounts.mail.views import operators_only
from accounts.models import User
from condottiere_site.health.readiness import current_signs
from condottiere_site.health.signs import Sign, SignName, Unit, Words
from condottiere_site.models import Installation
from games.models import LogEntry, Table

MOST_SHOWN = 10
MOST_COUNTED = 10_000  # newest rows of a table, among which a day's are counted
FEW = 10  # fewer are not told
DAYS = 3
_SECRET = (SignName.EMAIL, SignName.DEADLINES)  # their figures are shown once they have failed


@dataclass(frozen=True)
class ShownSign:
    """A kind of sign as the page shows it; of the tasks, the latest one."""

    title: Words
    failed: bool
    figure: str
    what_to_do: Words


@dataclass(frozen=True)
class Day:
    """What was added on one whole day in UTC."""

    on: date
    moves: str
    emails: str


@never_cache
@operators_only
@require_safe
def operator_page(request: HttpRequest) -> HttpResponse:
    """Show the state of the site to its operators."""
    signs = _shown_signs(current_signs())
    suppressed = SuppressedAddress.objects.order_by("-pk")
    context = {
        "signs": signs,
        "failed": [sign for sign in signs if sign.failed],
        "outage": outage(),
        "are_captured": emails_are_captured(),
        "queued": _rounded(
            OutgoingEmail.objects.filter(state=OutgoingEmail.State.QUEUED).order_by()[:MOST_COUNTED].count()
        ),
        "set_aside": grouped(SetAsideMessage.objects.order_by()[:MOST_COUNTED].count()),
        "suppressed": suppressed[:MOST_SHOWN],
        "refusals": _last_refusals(),
        "days": _days(clock.now()),
        "people": grouped(User.objects.order_by().aggregate(last=Max("pk"))["last"] or 0),
        "tables": grouped(Table.objects.order_by().aggregate(last=Max("pk"))["last"] or 0),
        "size": _database_size(),
        "installation": Installation.objects.first(),
    }
    return render(request, "site/operator.html", context)


def _shown_signs(signs: list[Sign]) -> list[ShownSign]:
    """Return one sign of each kind: that which failed, if any."""
    worst: dict[SignName, Sign] = {}
    for sign in signs:
        if sign.name not in worst or (sign.failed and not worst[sign.name].failed):
            worst[sign.name] = sign
    return [ShownSign(sign.title, sign.failed, _figure(sign), sign.what_to_do) for sign in worst.values()]


def _figure(sign: Sign) -> str:
    if sign.value is None or (sign.name in _SECRET and not sign.failed):
        return ""
    if sign.unit == Unit.SECONDS:
        return duration(timedelta(seconds=sign.value))
    return _size(sign.value) if sign.unit == Unit.BYTES else grouped(round(sign.value))


def _last_refusals() -> list[OutgoingEmail]:
    """Return the newest emails that a mail server refused, with its words."""
    newest = OutgoingEmail.objects.aggregate(newest=Max("pk"))["newest"] or 0
    refused = OutgoingEmail.objects.filter(
        pk__gt=newest - MOST_COUNTED,
        state__in=(OutgoingEmail.State.FAILED, OutgoingEmail.State.BOUNCED),
    )
    return list(refused.exclude(last_error="").order_by("-pk")[:MOST_SHOWN])


def _days(now: datetime) -> list[Day]:
    """Return the last whole days, newest first."""
    today = datetime.combine(now.astimezone(UTC).date(), time(tzinfo=UTC))
    newest_entry = LogEntry.objects.aggregate(newest=Max("pk"))["newest"] or 0
    newest_email = OutgoingEmail.objects.aggregate(newest=Max("pk"))["newest"] or 0
    moves = LogEntry.objects.filter(pk__gt=newest_entry - MOST_COUNTED).exclude(via="")
    emails = OutgoingEmail.objects.filter(pk__gt=newest_email - MOST_COUNTED)
    days = []
    for number in range(1, DAYS + 1):
        begins = today - timedelta(days=number)
        ends = begins + timedelta(days=1)
        days.append(
            Day(
                begins.date(),
                _rounded(moves.filter(at__gte=begins, at__lt=ends).order_by().count()),
                _rounded(emails.filter(created_at__gte=begins, created_at__lt=ends).order_by().count()),
            )
        )
    return days


def _rounded(number: int) -> str:
    """Return a number as text; of a few or none, only that they are few."""
    if number < FEW:
        return _("fewer than %(n)d") % {"n": FEW}
    return f"{grouped(number)}+" if number >= MOST_COUNTED else str(number)


def _database_size() -> str:
    if connection.vendor == "sqlite":
        path = Path(str(settings.DATABASES["default"]["NAME"]))
        return _size(path.stat().st_size) if path.is_file() else ""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return _size(cursor.fetchone()[0])


def _size(count: float) -> str:
    if count < 1024**3:
        # Translators: size is a number of mebibytes, 1024 * 1024 bytes
        return _("%(size)s MiB") % {"size": round(count / 1024**2)}
    size = number_format(round(count / 1024**3, 1), decimal_pos=1, force_grouping=True)
    # Translators: size is a number of gibibytes, 1024 mebibytes
    return _("%(size)s GiB") % {"size": size}
