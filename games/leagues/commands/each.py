"""A tick does its deed for row after row."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypeVar

from django.db.models import Model

logger = logging.getLogger(__name__)

Row = TypeVar("Row", bound=Model)


def for_each(rows: Iterable[Row], deed: Callable[[Row, datetime], object], now: datetime) -> int:
    """For how many rows there was something to do. One for which it cannot be done is logged, and stops no
    other."""
    return sum([_done_or_logged(row, deed, now) for row in list(rows)])


def _done_or_logged(row: Row, deed: Callable[[Row, datetime], object], now: datetime) -> bool:
    try:
        return bool(deed(row, now))
    except Exception:  # any one row
        logger.exception("%s %s of a league could not go on", row._meta.model_name, row.pk)
        return False
