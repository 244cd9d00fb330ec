"""Tells operators by email when the site has failed for ten minutes: once a day at most.

Minutes without mail don't count. So no email is about a failure that is over.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction

from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import queue
from accounts.models import User
from accounts.row_locks import free
from condottiere_site.health.readiness import current_signs
from condottiere_site.health.signs import Sign, SignName, failed_names
from condottiere_site.models import SiteHealth

ALERT = "site_failing"  # the kind of email
FAILS_FOR = timedelta(minutes=10)
# After a longer break the ten minutes begin again. Of several nodes, one that fails looks less often.
LONGEST_BREAK = timedelta(minutes=5)
ONCE_IN = timedelta(days=1)
_ROW = 1


def tell_of_failures(now: datetime) -> int:
    """Note what fails; queue an email to each operator if it's time. Return how many emails."""
    signs = current_signs()
    failed = [name for name in failed_names(signs) if name != SignName.MAIL_SERVER]
    works = _mail_works(signs)
    with transaction.atomic():
        row = free(SiteHealth.objects.filter(pk=_ROW)).first()
        if row is None:
            if failed and works:  # no one waits for another node that does the same or holds the row
                SiteHealth.objects.bulk_create([_beginning(now)], ignore_conflicts=True)
            return 0
        if not works:
            _wait_for_mail(row)
            return 0
        return _tell(row, failed, now) if failed else 0


def is_still_failing(since: datetime, now: datetime) -> bool:
    """Return whether the site has been failing with working mail since this moment or before."""
    return SiteHealth.objects.filter(failing_since__lte=since, seen_at__gte=now - LONGEST_BREAK).exists()


def _mail_works(signs: list[Sign]) -> bool:
    return not any(sign.failed for sign in signs if sign.name == SignName.MAIL_SERVER)


def _beginning(now: datetime) -> SiteHealth:
    return SiteHealth(pk=_ROW, failing_since=now, seen_at=now)


def _wait_for_mail(row: SiteHealth) -> None:
    """Count from the moment when mail works again. An email that did not leave has told nothing."""
    if row.failing_since is None:
        return
    if OutgoingEmail.objects.filter(kind=ALERT, state=OutgoingEmail.State.QUEUED).exists():
        row.told_at = None
    row.failing_since = row.seen_at = None
    row.save()


def _tell(row: SiteHealth, failed: Sequence[SignName], now: datetime) -> int:
    if row.failing_since is None or _is_apart(row.seen_at, now, LONGEST_BREAK):
        row.failing_since = now
    row.seen_at = now
    operators: list[User] = []
    if now - row.failing_since >= FAILS_FOR and _is_apart(row.told_at, now, ONCE_IN):
        row.told_at = now
        operators = list(User.objects.filter(is_staff=True, is_active=True).order_by("pk"))
    row.save()
    for operator in operators:
        key = f"{ALERT}:{now.isoformat()}:{operator.pk}"
        queue(ALERT, to=operator, key=key, context={"failed": [str(name) for name in failed]})
    return len(operators)


def _is_apart(before: datetime | None, now: datetime, span: timedelta) -> bool:
    """Return whether so much has passed since then. A moment ahead is older: the clock was set back."""
    return before is None or abs(now - before) >= span
