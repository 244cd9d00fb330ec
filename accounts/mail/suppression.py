"""Addresses that get no email: for some days because emails fail, or until their owner wants them again."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from accounts import clock
from accounts.addresses import normal_address
from accounts.characters import cut
from accounts.mail.failure_reasons import NOT_WANTED, SERVER_ANSWER
from accounts.mail.models import OutgoingEmail, SuppressedAddress
from accounts.row_locks import delete_free

Cause = SuppressedAddress.Cause

RETRIED_AFTER = timedelta(days=7)  # only where emails failed: what its owner asked for doesn't run out
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


def failing_addresses() -> "QuerySet[SuppressedAddress, str]":
    """Return all addresses that are suppressed now, normalized, for use in another query."""
    return _suppressed(clock.now()).values_list("address", flat=True)


def suppression_of(address: str) -> SuppressedAddress | None:
    """Return the suppression of this address, or None if it gets emails."""
    return suppressions_of([address]).get(normal_address(address))


def causes_of(email: OutgoingEmail) -> "QuerySet[SuppressedAddress, Any]":
    """Return why this email is skipped, in texts; empty for signing in, or if its address gets emails."""
    rows = _suppressed(clock.now()).filter(address=normal_address(email.to_address)).values_list("cause")
    return rows.none() if email.kind in NEVER_SUPPRESSED else rows


def suppress(email: OutgoingEmail, cause: Cause, reason: str, now: datetime) -> None:
    """Suppress the address of this email, or restart its seven days.

    A failure changes nothing about an address whose owner wants no emails.
    """
    if email.forgets_address or not email.to_address:
        return
    found = {"cause": cause, "reason": cut(reason, _LONGEST_REASON), "since": now, "email": email}
    with transaction.atomic():
        rows = SuppressedAddress.objects.select_for_update(of=("self",))
        row, is_new = rows.get_or_create(address=normal_address(email.to_address), defaults=found)
        if not is_new and row.cause in cause.weaker:
            SuppressedAddress.objects.filter(pk=row.pk).update(**found)


def keeps_failing(email: OutgoingEmail) -> bool:
    """Return whether this email is the last of several that failed, queued on three different days.

    An email that a server accepted ends the row. Emails that were never sent don't count.
    """
    tried = (OutgoingEmail.State.SENT, OutgoingEmail.State.FAILED, OutgoingEmail.State.BOUNCED)
    before = OutgoingEmail.objects.filter(to_address=email.to_address, state__in=tried, pk__lt=email.pk)
    days = {email.created_at.date()}
    found = before.order_by("-pk").values_list("state", "last_error", "created_at")
    for state, error, queued_at in found[:_MOST_LOOKED_AT]:
        if state == OutgoingEmail.State.SENT or error in NOT_WANTED or len(days) == _DAYS_OF_FAILURES:
            break
        if state == OutgoingEmail.State.BOUNCED or SERVER_ANSWER.match(error):
            days.add(queued_at.date())
    return len(days) == _DAYS_OF_FAILURES


def unsuppress(*addresses: str) -> bool:
    """Remove the suppression of these addresses; return True if there was one."""
    return bool(_rows_of(addresses).delete()[0])


def end_failures(*addresses: str) -> None:
    """Remove the suppression of addresses that have just proved to work.

    Someone who marked an email as spam may still sign in by email: that asks for no other emails.
    """
    _rows_of(addresses).filter(cause=Cause.FAILURE).delete()


def delete_outdated(now: datetime) -> int:
    """Delete the failures after which emails are tried again; return how many."""
    outdated = SuppressedAddress.objects.filter(cause=Cause.FAILURE, since__lte=now - RETRIED_AFTER)
    return delete_free(outdated)[0]


def _rows_of(addresses: Iterable[str]) -> "QuerySet[SuppressedAddress]":
    return SuppressedAddress.objects.filter(address__in={normal_address(address) for address in addresses})


def _suppressed(now: datetime) -> "QuerySet[SuppressedAddress]":
    return SuppressedAddress.objects.exclude(cause=Cause.FAILURE, since__lte=now - RETRIED_AFTER)
