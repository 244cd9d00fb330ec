"""Bring a restored site up to now, once: skip lost numbers, record the outage, close old emails."""

from typing import Any

from django.apps import apps
from django.db import connection, transaction
from django.db.models import Max

from accounts import clock
from accounts.mail.delivery_status import overtake_queued
from accounts.push.queueing import drop_messages
from condottiere_site import __version__
from condottiere_site.models import Installation
from games.clocks.outages import site_was_restored

SKIPPED = 10_000  # numbers, at least: those given between the backup and its restore, which links may name


@transaction.atomic
def after_restore(*, only_moved: bool = False) -> bool:
    """Bring a restored site up to now; return False if nothing has happened since the last time.

    A site that `only_moved` to another database has lost nothing, so its queued emails are still needed.
    """
    Installation.objects.get_or_create(pk=1, defaults={"version": __version__})
    row = Installation.objects.select_for_update().get(pk=1)
    now = clock.now()
    tick = site_was_restored(row.restored_at, now)
    if tick == row.restored_at:
        return False
    _let_numbers_begin_higher()
    if not only_moved:
        overtake_queued()
        drop_messages(now)
    row.restored_at = tick
    row.save(update_fields=["restored_at"])
    return True


def _let_numbers_begin_higher() -> None:
    """Skip the numbers that rows may have had that are lost: links in emails name rows by them.

    A table skips as many as it has had, so that no site can have used more since the backup.
    """
    raise_number = _raise_sqlite if connection.vendor == "sqlite" else _raise_postgresql
    for model in apps.get_models(include_auto_created=True):
        number = model._meta.auto_field
        if model._meta.managed and not model._meta.proxy and number is not None:
            raise_number(model, str(number.column))


def _raise_sqlite(model: Any, column: str) -> None:
    table = model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = %s", [table])
        last = max(cursor.fetchone()[0] or 0, _greatest(model))
        cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
        cursor.execute(
            "INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, last + max(last, SKIPPED)]
        )


def _raise_postgresql(model: Any, column: str) -> None:
    quoted = connection.ops.quote_name(model._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [quoted, column])
        (sequence,) = cursor.fetchone()
        cursor.execute(f"SELECT last_value FROM {sequence}")  # noqa: S608 (a name from the server, quoted)
        last = max(cursor.fetchone()[0], _greatest(model))
        cursor.execute("SELECT setval(%s, %s)", [sequence, last + max(last, SKIPPED)])


def _greatest(model: Any) -> int:
    return model._default_manager.aggregate(last=Max("pk"))["last"] or 0
