"""Tables outside leagues whose players agreed to have them rated: note that one is over, and its results."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.full_disk import raise_if_full
from accounts.row_locks import free
from games.leagues.models import RatedTable
from games.leagues.results.stored_facts import facts_json
from games.leagues.results.table_results import facts_of_rated
from games.models import Game

logger = logging.getLogger(__name__)
AT_ONCE = 50  # tables in one tick, as each is replayed


def note_finished(sender: object, game: Game, now: datetime, **_more: Any) -> None:
    """Note that a rated table is over, in the transaction of its last move. Its results are read later."""
    table = game.table
    if table.is_rated and not table.source:
        RatedTable.objects.get_or_create(
            table=table, defaults={"edition": table.options.edition, "ended_at": now}
        )


def read_results(_now: datetime) -> int:
    """Compute the results of rated tables that are over; return how many. Part of the tick.

    A table with a broken log does not stop the others.
    """
    waiting = RatedTable.objects.filter(rated_at=None, facts__isnull=True).order_by("pk")
    return sum([_read_or_logged(pk) for pk in waiting.values_list("pk", flat=True)[:AT_ONCE]])


def _read_or_logged(pk: int) -> bool:
    try:
        return _read(pk)
    except Exception as error:  # whatever is wrong with one table
        raise_if_full(error)
        logger.exception("the results of rated table %s could not be read", pk)
        return False


@transaction.atomic
def _read(pk: int) -> bool:
    row = free(RatedTable.objects.filter(pk=pk, facts__isnull=True)).first()
    if row is None:
        return False
    row.facts = facts_json(facts_of_rated(row))
    row.save(update_fields=["facts"])
    return True
