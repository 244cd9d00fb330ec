"""Seats at which something is due, in batches: what one tick leaves, the next goes on with."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.db.models import Q

from games.models import Seat

BATCH = 100


def never() -> bool:
    """For a run that goes on until all is done."""
    return False


class DueSeats:
    """The seats whose moment in one column has come, the longest waiting first.

    A seat for which nothing can be done yet stays due. So a run that had to end goes on where it was, or
    those at the front would keep the others from their turn.
    """

    def __init__(self, column: str) -> None:
        """`column` is the name of an indexed moment of Seat."""
        self._column = column
        self._after: tuple[datetime, int] | None = None

    def each(self, deed: Callable[[int, datetime], bool], now: datetime, is_over: Callable[[], bool]) -> int:
        """Do it for seat after seat, by its number, until all were done or `is_over`; for how many it was."""
        done = 0
        while batch := self._batch(now):
            for moment, pk in batch:
                if is_over():
                    return done
                done += deed(pk, now)
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
