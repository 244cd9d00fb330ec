"""Delete many rows in batches, without holding them all in memory or in one transaction."""

from typing import Any

from django.db import models

AT_ONCE = 1000


def delete_in_batches(rows: models.QuerySet[Any]) -> int:
    """Delete these rows a thousand at a time, each batch in its own transaction; return how many."""
    deleted = 0
    while batch := list(rows.order_by("pk").values_list("pk", flat=True)[:AT_ONCE]):
        rows.model._default_manager.filter(pk__in=batch).delete()
        deleted += len(batch)
    return deleted
