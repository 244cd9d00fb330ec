"""Addresses that get no email for some days, because emails to them fail."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import QuerySet

from accounts import clock
from accounts.addresses import normal_address
from accounts.characters import cut
from accounts.mail.failure_reasons import SERVER_ANSWER
from accounts.mail.models import OutgoingEmail, SuppressedAddress

RETRIED_AFTER = timedelta(days=7)
NEVER_SUPPRESSED = frozenset({"account"})  # emails for signing in and for changing an address
_LONGEST_REASON = 500
_DAYS_OF_FAILURES = 3
_MOST_LOOKED_AT = 100


def suppressions_of(addresses: Iterable[str]) -> dict[str, SuppressedAddress]:
    """Return the current suppressions of these addresses, by normalized address."""
    rows = _suppressed(clock.now()).filter(address__in={normal_address(address) for address in addresses})
    return {row.address: row for row in rows}


def fails(addresses: Iterable[str]) -> frozenset[str]:
    """Return which of these addresses are suppressed now, normalized."""
    return frozenset(suppressions_of(addresses))


def suppression_of(address: str) -> SuppressedAddress | None:
    """Return the suppression of this address, or None if it gets emails."""
    return suppressions_of([address]).get(normal_address(address))


def is_suppressed(email: OutgoingEmail) -> bool:
    """Return whether this email is skipped: its address is suppressed, and it is not for signing in."""
    return email.kind not in NEVER_SUPPRESSED and bool(fails([email.to_address]))


def suppress(email: OutgoingEmail, reason: str, now: datetime) -> None:
    """Suppress the address of this email, or restart its seven days."""
    if email.forgets_address or not email.to_address:
        return
    found = {"reason": cut(reason, _LONGEST_REASON), "since": now, "email": email}
    SuppressedAddress.objects.update_or_create(address=normal_address(email.to_address), defaults=found)


def keeps_failing(email: OutgoingEmail) -> bool:
    """Return whether this email is the last of several that failed, queued on three different days.

    An email that a server accepted ends the row. Emails that were never sent don't count.
    """
    tried = (OutgoingEmail.State.SENT, OutgoingEmail.State.FAILED, OutgoingEmail.State.BOUNCED)
    before = OutgoingEmail.objects.filter(to_address=email.to_address, state__in=tried, pk__lt=email.pk)
    days = {email.created_at.date()}
    found = before.order_by("-pk").values_list("state", "last_error", "created_at")
    for state, error, queued_at in found[:_MOST_LOOKED_AT]:
        if state == OutgoingEmail.State.SENT or len(days) == _DAYS_OF_FAILURES:
            break
        if state == OutgoingEmail.State.BOUNCED or SERVER_ANSWER.match(error):
            days.add(queued_at.date())
    return len(days) == _DAYS_OF_FAILURES


def unsuppress(*addresses: str) -> bool:
    """Remove the suppression of these addresses; return True if there was one."""
    wanted = {normal_address(address) for address in addresses}
    return bool(SuppressedAddress.objects.filter(address__in=wanted).delete()[0])


def _suppressed(now: datetime) -> "QuerySet[SuppressedAddress]":
    return SuppressedAddress.objects.filter(since__gt=now - RETRIED_AFTER)
