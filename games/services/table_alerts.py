"""Emails about new open tables, for people who asked for them: at most one a day.

They end when the person takes a seat (lobby.py), or stops them in the lobby or from the email.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, Max, OuterRef

from accounts.durations import DAY
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import queue
from accounts.mail.subscriptions import Subscription, is_unsubscribed, resubscribe
from accounts.models import User
from accounts.row_locks import free
from games.models import Table, TableAlert
from games.selectors.open_tables import tables_opened

OPEN_TABLES = "open_tables"  # the kind of email
LIST = "tables"  # what its link to unsubscribe turns off
SETTLED = timedelta(minutes=1)  # how old a table is before an email names it, so that none is half-made


@transaction.atomic
def ask_for_alerts(user: User) -> None:
    """Email this person when someone opens a table from now on. Safe to repeat."""
    TableAlert.objects.get_or_create(user=user)
    resubscribe(Subscription(user.email, LIST, ""))


def stop_alerts(user: User) -> None:
    """Send no more of these emails. Safe to repeat."""
    TableAlert.objects.filter(user=user).delete()


def gets_alerts(user: User) -> bool:
    """Return whether this person gets these emails: they asked for them and did not unsubscribe."""
    return TableAlert.objects.filter(user=user).exists() and not is_unsubscribed(user.email, LIST)


def tell_of_open_tables(now: datetime) -> int:
    """Queue an email for each person who waits for a table and can join a new one; return how many."""
    newest = Table.objects.gathering().filter(entry=Table.Entry.OPEN, created_at__lte=now - SETTLED)
    until = newest.aggregate(newest=Max("created_at"))["newest"]
    if until is None:
        return 0
    told = OutgoingEmail.objects.filter(kind=OPEN_TABLES, to_user=OuterRef("user"), created_at__gt=now - DAY)
    needed = told.exclude(state=OutgoingEmail.State.OVERTAKEN)
    due = TableAlert.objects.filter(~Exists(needed), seen_until__lt=until, user__is_active=True)
    return sum(_tell(pk, until) for pk in due.order_by("pk").values_list("pk", flat=True))


@transaction.atomic
def _tell(pk: int, until: datetime) -> bool:
    alert = free(TableAlert.objects.filter(pk=pk, seen_until__lt=until)).first()
    if alert is None:
        return False
    since, alert.seen_until = alert.seen_until, until
    alert.save(update_fields=["seen_until"])
    if not tables_opened(since, alert.user).exists():
        return False
    told = since.isoformat()
    queue(OPEN_TABLES, to=alert.user, key=f"{OPEN_TABLES}:{pk}:{told}", context={"since": told})
    return True
