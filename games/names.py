"""How people are called at a table. The one place that decides what a viewer is told of who sits where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accounts.models import User
    from games.models import Seat


def shown_names(seats: Iterable[Seat], viewer: User | None) -> tuple[str, ...]:
    """The name of each seat, in seat order, as `viewer` may see it; namesakes are told apart by their seat.

    The viewer makes no difference yet; tables at which nobody knows who is who will use it.
    """
    seats = sorted(seats, key=lambda seat: seat.number)
    bearers = Counter(seat.user.shown_name.casefold() for seat in seats)
    return tuple(
        f"{seat.user.shown_name} ({seat.number + 1})"
        if bearers[seat.user.shown_name.casefold()] > 1
        else seat.user.shown_name
        for seat in seats
    )
