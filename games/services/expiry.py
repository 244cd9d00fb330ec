"""Expiry of tables that do not fill: warn the host, keep the table open on request, or close it.

Each row is checked again under the table's lock, so two runs at once are harmless.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from accounts.mail.outbox import queue
from accounts.row_locks import free
from games.models import Invitation, Table, new_closing_time
from games.models.locking import Refused, why_not_gathering

WARNED_BEFORE = timedelta(days=3)
TIME_TO_CONFIRM = timedelta(days=7)


def close_unfilled(now: datetime) -> int:
    """Warn hosts whose tables close soon, close expired tables, and return how many were closed.

    No table closes before its host had a warning and the days the warning promises.
    """
    hosted = Table.objects.gathering().filter(host__isnull=False, practice_key=None)
    due = list(
        hosted.filter(closes_at__lte=now + WARNED_BEFORE).order_by("closes_at", "pk").values_list("pk")
    )
    return sum(_warn_or_close(pk, now) for (pk,) in due)


@transaction.atomic
def _warn_or_close(pk: int, now: datetime) -> bool:
    table = free(Table.objects.filter(pk=pk)).first()
    if table is None or not table.is_gathering or table.closes_at > now + WARNED_BEFORE:
        return False
    if table.warned_at is None:
        _warn(table, now)
        return False
    if table.closes_at > now:
        return False
    _close(table)
    return True


def _warn(table: Table, now: datetime) -> None:
    """Tell the host when the table closes; a late warning moves the closing time."""
    assert table.host is not None
    table.warned_at = now
    if table.closes_at < now + WARNED_BEFORE / 2:
        table.closes_at = now + WARNED_BEFORE
    table.save(update_fields=["warned_at", "closes_at"])
    closes_at = table.closes_at.isoformat()
    queue(
        "closing_soon",
        to=table.host,
        key=f"closing_soon:{table.pk}:{closes_at}",
        context={"table": table.pk, "closes_at": closes_at},
    )


def _close(table: Table) -> None:
    """Close the table and tell everyone seated or invited."""
    table.state = Table.State.CLOSED
    table.save(update_fields=["state"])
    context = {"table": table.pk}
    for seat in table.seats.people():
        queue("closed", to=seat.person, key=f"closed:{table.pk}:{seat.pk}", context=context)
    sent = table.invitations.filter(state=Invitation.State.SENT, is_kept_back=False)
    for invited in sent.select_related("user"):
        key = f"closed:{table.pk}:invitation:{invited.pk}"
        queue("closed", to=invited.user or invited.email, key=key, context=context, by=table.host)


@transaction.atomic
def keep_open(table: Table) -> Table:
    """Keep a table open as long as a new one would be. Raises Refused if it is not gathering players."""
    table = Table.objects.select_for_update(of=("self",)).get(pk=table.pk)
    if not table.is_gathering:
        raise Refused(why_not_gathering(table))
    table.closes_at, table.warned_at = new_closing_time(), None
    table.save(update_fields=["closes_at", "warned_at"])
    return table


def allow_time_to_confirm(table: Table, now: datetime) -> None:
    """Give everyone at a table that has just filled up time to confirm before it closes."""
    if table.closes_at < now + TIME_TO_CONFIRM:
        table.closes_at, table.warned_at = now + TIME_TO_CONFIRM, None
        table.save(update_fields=["closes_at", "warned_at"])
