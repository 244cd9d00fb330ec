"""No clock task waits for rows that another node holds: it leaves them to a later tick.

Otherwise two nodes that take the same rows in the same order wait for each other at every row.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
import time_machine
from django.apps import apps
from django.conf import settings
from django.db import connection

from accounts import clock
from accounts.mail.check_emails import queue_check_email
from accounts.mail.leases import claim
from accounts.mail.models import OutgoingEmail
from accounts.models import RateLimitCounter
from condottiere_site.celery import app
from games.models import Heartbeat, Outage, Seat
from tests.upgrade import staging

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

for _task in settings.BEAT_SECONDS:
    import_module(_task.rpartition(".")[0])

# A tick waits for another that records an outage: no deadline may be enforced before that is known.
WAITED_FOR = {Heartbeat._meta.db_table}
# There is no mailbox, no one waits for a table, no Strategist thinks, and emails are looked at below.
NOTHING_DUE = {
    "games.leagues.tasks.tell_standings",
    "accounts.mail.tasks.fetch_mail",
    "accounts.mail.tasks.deliver_due",
    "games.tasks.tell_of_open_tables",
    "games.tasks.think",
}


@pytest.fixture
def site(transactional_db: None) -> Iterator[None]:
    """A site with one of everything, long after most of it is due."""
    assert connection.vendor == "postgresql"
    staging.build()
    with time_machine.travel(staging.MOMENT + timedelta(days=40), tick=False):
        _make_more_due()
        yield


def _make_more_due() -> None:
    now, long_ago = clock.now(), staging.MOMENT - timedelta(days=400)
    Heartbeat.objects.update(at=now)
    Outage.objects.update(given_up_to=None)  # tests/clocks looks at those
    Seat.objects.filter(due_at__isnull=False).update(remind_at=None)
    OutgoingEmail.objects.filter(state=OutgoingEmail.State.QUEUED).update(not_before=long_ago)
    one = Seat.objects.filter(due_at__isnull=False).order_by("pk").last()
    assert one is not None
    Seat.objects.filter(pk=one.pk).update(remind_at=now, due_at=now + timedelta(hours=30))
    RateLimitCounter.objects.update(day=long_ago.date())


@contextmanager
def all_rows_held() -> Iterator[None]:
    """Hold every row of the site in another connection, as another node holds those that it changes."""
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            for model in apps.get_models():
                if model._meta.managed and model._meta.db_table not in WAITED_FOR:
                    cursor.execute(f'SELECT 1 FROM "{model._meta.db_table}" FOR UPDATE')
        yield
        other.rollback()
    finally:
        other.close()


def _locks_rows(task: str) -> bool:
    """Run a clock task; return whether it came to a row to lock without waiting."""
    statements = list[str]()

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        statements.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        app.tasks[task].apply()
    return any("SKIP LOCKED" in sql for sql in statements)


def test_no_clock_task_waits_for_rows_of_another_node(site: None, caplog: pytest.LogCaptureFixture) -> None:
    never_locking, waiting = set[str](), dict[str, Any]()
    for name in settings.BEAT_SECONDS:
        with all_rows_held(), connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '3s'")
            caplog.clear()
            result = app.tasks[name].apply()
            if result.failed() or result.result or "lock timeout" in caplog.text:
                waiting[name] = (result.result, caplog.text[-2000:])
            cursor.execute("SET lock_timeout = 0")
        if not _locks_rows(name):
            never_locking.add(name)
    assert waiting == {}
    assert never_locking == NOTHING_DUE


def test_an_email_whose_row_is_held_is_left_to_another_tick(transactional_db: None) -> None:
    _check, email = queue_check_email(to="operator@example.org")
    now = clock.now()
    with all_rows_held(), connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '3s'")
        assert not claim(email, now)
        cursor.execute("SET lock_timeout = 0")
    assert claim(email, now)
