"""Row locks for clock tasks, which run on several nodes at once and take the same rows in the same order.

A task does not wait for a row that another process holds: a later tick looks at it again. Otherwise each node
would wait for the other at every row. SQLite has no row locks. There a transaction waits for all others.
"""

from __future__ import annotations

from typing import Any, TypeVar

from django.db import transaction
from django.db.models import QuerySet

Rows = TypeVar("Rows", bound="QuerySet[Any, Any]")


def free(rows: Rows) -> Rows:
    """Return these rows but those that another transaction holds, locked until this transaction ends."""
    return rows.select_for_update(of=("self",), skip_locked=True)


def update_free(rows: QuerySet[Any, Any], **changes: object) -> int:
    """Change these rows but those that another transaction holds; return how many."""
    with transaction.atomic():
        changed: int = _as_one_query(rows).update(**changes)
    return changed


def delete_free(rows: QuerySet[Any, Any]) -> tuple[int, dict[str, int]]:
    """Delete these rows but those that another transaction holds; return what `QuerySet.delete` returns."""
    with transaction.atomic():
        deleted: tuple[int, dict[str, int]] = _as_one_query(rows).delete()
    return deleted


def _as_one_query(rows: QuerySet[Any, Any]) -> QuerySet[Any, Any]:
    """Return the free ones of these rows, found and locked by the statement that changes them."""
    found: QuerySet[Any, Any] = rows.model._default_manager.filter(pk__in=free(rows.order_by()).values("pk"))
    return found


def are_free(rows: QuerySet[Any, Any]) -> bool:
    """Return whether no transaction holds any of these rows at this moment. Keeps no lock.

    For steps that lock rows in an order of their own, and are also taken by people.
    """
    with transaction.atomic():
        return len(free(rows).values_list("pk")) == rows.count()
