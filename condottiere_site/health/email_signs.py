"""Signs that emails leave in time, and that the mail server takes them."""

from datetime import datetime, timedelta

from django.db.models import Min, QuerySet

from accounts.mail.circuit_breaker import PAUSE, outage
from accounts.mail.delivery_status import NOT_BUILT
from accounts.mail.models import OutgoingEmail
from condottiere_site.health.signs import Ages, Sign, SignName, Unit, within

# The breaker tries again after its pause. One broken connection is no outage; two tries a pause apart are.
LONGEST_OUTAGE = 1.5 * PAUSE.total_seconds()
SOON = timedelta(hours=1)
LONGEST_WAIT = timedelta(minutes=10).total_seconds()


def mail_server_signs(ages: Ages) -> list[Sign]:
    """Return for how long the mail server has been taking no email.

    Without an email to send soon, no one tries it, so an outage may be over.
    """
    failing = outage() if _queued_until(ages.now + SOON).exists() else None
    failing_for = ages.since(failing.failing_since) if failing else 0
    return [within(SignName.MAIL_SERVER, failing_for, LONGEST_OUTAGE, Unit.SECONDS)]


def email_signs(ages: Ages) -> list[Sign]:
    """Return how long the oldest due email has been waiting, also one that a worker is sending."""
    oldest = _queued_until(ages.now).values_list("not_before", flat=True).first()
    waiting = [moment for moment in (oldest, _oldest_unbuilt()) if moment]
    waited = max(map(ages.since, waiting), default=0)
    return [within(SignName.EMAIL, waited, LONGEST_WAIT, Unit.SECONDS)]


def _oldest_unbuilt() -> datetime | None:
    """Return when the oldest email was queued that can't be built. Each failed try puts off when it's due."""
    queued = OutgoingEmail.objects.filter(state=OutgoingEmail.State.QUEUED, last_error__startswith=NOT_BUILT)
    oldest: datetime | None = queued.aggregate(oldest=Min("created_at"))["oldest"]
    return oldest


def _queued_until(moment: datetime) -> QuerySet[OutgoingEmail]:
    queued = OutgoingEmail.objects.filter(state=OutgoingEmail.State.QUEUED, not_before__lte=moment)
    return queued.order_by("not_before", "pk")
