"""Go through seats with something due, in batches."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.db.models import Q

from games.models import Seat

BATCH = 100


def never() -> bool:
    """Return False, for a run that continues until everything is done."""
    return False


class DueSeatsCursor:
    """Goes through seats whose moment in one column has come, the longest waiting first.

    A seat that cannot be handled yet stays due. So this remembers where a run was interrupted, and the next
    run continues there; otherwise the first seats would block the others. It is not stored: a
    new process begins with the first seat, which costs time but misses no seat.
    """

    def __init__(self, column: str) -> None:
        """Use `column`, the name of an indexed datetime column of Seat."""
        self._column = column
        self._after: tuple[datetime, int] | None = None

    def run(self, action: Callable[[int, datetime], bool], now: datetime, is_over: Callable[[], bool]) -> int:
        """Call `action` for each due seat until done or `is_over`; return how many returned True."""
        done = 0
        while batch := self._batch(now):
            for moment, pk in batch:
                if is_over():
                    return done
                done += action(pk, now)
                self._after = moment, pk
        self._after = None
        return done

    def _batch(self, now: datetime) -> list[tuple[datetime, int]]:
        due = Seat.objects.filter(**{f"{self._column}__lte": now})
        if self._after is not None:
            moment, pk = self._after
            later = Q(**{f"{self._column}__gt": moment}) | Q(**{self._column: moment, "pk__gt": pk})
            due = due.filter(later, **{f"{self._column}__gte": moment})
        return list(due.order_by(self._column, "pk").values_list(self._column, "pk")[:BATCH])
