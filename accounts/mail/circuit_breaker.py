"""The circuit breaker for the mail server, shared by all processes.

One broken connection may be the email's fault, and one refusal the recipient's. Several in a row are the
server's: emails wait then, and one at a time tests whether it accepts them again.
"""

import logging
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Q, QuerySet, Value

from accounts.mail.models import MailServerHealth, OutgoingEmail, SuppressedAddress

logger = logging.getLogger(__name__)

PAUSE = timedelta(seconds=10)  # between two tests whether the server accepts emails again
LONGEST_PAUSE = timedelta(minutes=5)  # while it answers, but refuses everyone: each test is one refusal more
MOST_BREAKS = 3
MOST_REFUSED = 3  # emails in a row, not all to one person
MOST_UNKNOWN = 10  # of any kind: a few unknown addresses in a row are nothing strange
_ROW = 1
_LONGEST_SERVER_ERROR = 1000

Refusal = OutgoingEmail.Refusal
_IN_A_ROW = (Refusal.EMAIL, Refusal.ADDRESS, Refusal.AGAIN)


def may_try(server: MailServerHealth | None, now: datetime) -> bool:
    """Return whether this tick may send: always if the server is healthy, else one tick per pause."""
    if server is None or server.failing_since is None:
        return True
    longest = LONGEST_PAUSE if server.refuses_everyone else PAUSE
    rested = Q(rests_until__lte=now) | Q(
        rests_until__gt=now + 2 * longest
    )  # the clock may have been set back
    return bool(MailServerHealth.objects.filter(rested, pk=server.pk).update(rests_until=now + PAUSE))


def breaker_state() -> MailServerHealth | None:
    """Return the circuit breaker row, or None if the server is healthy."""
    return MailServerHealth.objects.first()


def outage() -> MailServerHealth | None:
    """Return the circuit breaker row while the server accepts no emails, else None."""
    return MailServerHealth.objects.exclude(failing_since=None).first()


def record_outage(now: datetime, error: str) -> None:
    """Record that the server accepts no email, and pause."""
    logger.warning("the mail server takes no emails: %s", error)
    _save_error(error)
    _pause(now)


def record_break(now: datetime, error: str) -> None:
    """Record a broken connection; pause after MOST_BREAKS in a row."""
    logger.warning("the connection to the mail server broke: %s", error)
    _save_error(error)
    MailServerHealth.objects.filter(pk=_ROW).update(breaks=F("breaks") + 1)
    if MailServerHealth.objects.filter(pk=_ROW, breaks__gte=MOST_BREAKS).exists():
        _pause(now)


def record_refusal(email: OutgoingEmail, now: datetime, error: str, *, of_address: bool) -> bool:
    """Record a refusal; return True if the server refuses everyone, so that this email waits.

    An email that waited for this once gets its own refusal the next time.
    """
    _record_answer(now)
    if MailServerHealth.objects.filter(refuses_everyone=True).exists():
        _pause(now, LONGEST_PAUSE)
        return True
    has_waited = email.refusal in (Refusal.WAITED, Refusal.AGAIN)
    email.refusal = Refusal.AGAIN if has_waited else Refusal.ADDRESS if of_address else Refusal.EMAIL
    OutgoingEmail.objects.filter(pk=email.pk).update(refusal=email.refusal)
    if not _is_everyone_refused():
        return False
    logger.warning("the mail server refuses everyone: %s", error)
    _save_error(error)
    MailServerHealth.objects.filter(pk=_ROW).update(refuses_everyone=True)
    _pause(now)
    _requeue_refused(email, now)
    return not has_waited


def record_success(now: datetime) -> None:
    """Record that the server accepted an email, and make emails that waited for it due now."""
    OutgoingEmail.objects.filter(refusal__in=_IN_A_ROW).update(refusal="")
    _recover(MailServerHealth.objects.all(), now)


def troubles() -> "tuple[QuerySet[OutgoingEmail, Any], QuerySet[MailServerHealth, Any]]":
    """Return what a success would end, as texts for a union: what was refused, and the server's failures."""
    refused = OutgoingEmail.objects.filter(refusal__in=_IN_A_ROW)
    return refused.values_list("refusal"), MailServerHealth.objects.values_list(Value("failing"))


def _record_answer(now: datetime) -> None:
    """Record that the server can be reached, whatever it answered."""
    _recover(MailServerHealth.objects.filter(refuses_everyone=False), now)


def _recover(rows: QuerySet[MailServerHealth], now: datetime) -> None:
    servers = list(rows)
    if servers:
        rows.delete()
    if any(server.failing_since is not None for server in servers):
        waiting = OutgoingEmail.objects.filter(
            state=OutgoingEmail.State.QUEUED, waits_for_server=True, not_before__gt=now
        )
        waiting.update(not_before=now)
        logger.warning("the mail server takes emails again")


def _is_everyone_refused() -> bool:
    row = list(OutgoingEmail.objects.filter(refusal__in=_IN_A_ROW).values_list("to_address", "refusal"))
    unexplained = [address for address, refusal in row if refusal != Refusal.ADDRESS]
    is_no_one_person = len({address for address, _refusal in row}) > 1
    return is_no_one_person and (len(unexplained) >= MOST_REFUSED or len(row) >= MOST_UNKNOWN)


def _requeue_refused(email: OutgoingEmail, now: datetime) -> None:
    """Queue the emails refused in a row before this one again, and stop suppressing their addresses."""
    row = OutgoingEmail.objects.filter(refusal__in=(Refusal.EMAIL, Refusal.ADDRESS)).exclude(pk=email.pk)
    # What an email with a secret was to say is deleted once it has failed.
    failed = Q(state=OutgoingEmail.State.FAILED, forgets=False)
    waiting = Q(state=OutgoingEmail.State.QUEUED, leased_until=None)
    SuppressedAddress.objects.filter(email__in=row.filter(failed)).delete()
    row.filter(failed | waiting).update(
        state=OutgoingEmail.State.QUEUED, refusal=Refusal.WAITED, not_before=now + PAUSE
    )


def _save_error(error: str) -> None:
    MailServerHealth.objects.update_or_create(pk=_ROW, defaults={"last_error": error[:_LONGEST_SERVER_ERROR]})


def _pause(now: datetime, longest: timedelta = PAUSE) -> None:
    """Pause for a tenth of the time since the failures began, within bounds."""
    MailServerHealth.objects.filter(pk=_ROW, failing_since=None).update(failing_since=now)
    for server in MailServerHealth.objects.filter(pk=_ROW):
        failing_for = now - (server.failing_since or now)
        pause = min(longest, max(PAUSE, failing_for / 10))
        MailServerHealth.objects.filter(pk=_ROW).update(rests_until=now + pause)
