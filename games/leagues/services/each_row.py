"""Run a step of the tick for each row; a failure of one row does not stop the others.

A row whose season another process holds is left to the next tick.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypeVar

from django.db.models import Model

from accounts.full_disk import raise_if_full
from accounts.row_locks import are_free
from games.leagues.services.locks import seasons_of

logger = logging.getLogger(__name__)
Row = TypeVar("Row", bound=Model)


def run_for_all(rows: Iterable[Row], event: Callable[[Row, datetime], object], now: datetime) -> int:
    """Run a function for each row and count the rows where it did something; log and skip failures."""
    return sum([_run_or_log(row, event, now) for row in list(rows)])


def _run_or_log(row: Row, event: Callable[[Row, datetime], object], now: datetime) -> bool:
    try:
        return are_free(seasons_of(row)) and bool(event(row, now))
    except Exception as error:  # whatever is wrong with one row
        raise_if_full(error)
        logger.exception("%s %s of a league could not go on", row._meta.model_name, row.pk)
        return False
