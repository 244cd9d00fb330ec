"""The pending decisions of a user in all their games, with the deadlines that lists and calendars name."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from accounts import clock
from accounts.availability import hours_of_person
from accounts.models import User
from accounts.working_hours import Hours
from games.clocks.countdowns import countdown_of
from games.clocks.counted_hours import under_settings
from games.clocks.decision_deadlines import nearest_end
from games.models import Game, Seat


class OwnDecision(NamedTuple):
    """A pending decision: its seat and game, and by when to move; None where no clock runs."""

    seat: Seat
    game: int
    move_by: datetime | None


def own_decisions(user: User, most: int | None = None) -> list[OwnDecision]:
    """Return the user's pending decisions, the longest waiting first; the calendar is read once for all."""
    seats = list(Seat.objects.waiting_for(user)[:most])
    numbers = [seat.game_pk for seat in seats]  # type: ignore[attr-defined]  # of waiting_for
    if not seats:
        return []
    games, hours = Game.objects.only("started_at").in_bulk(numbers), hours_of_person(user)
    return [
        OwnDecision(seat, number, _move_by(seat, games[number], hours))
        for seat, number in zip(seats, numbers, strict=True)
    ]


def _move_by(seat: Seat, game: Game, own: Hours) -> datetime | None:
    """Return the end of the decision's own time, or its deadline where that is all it has (R17)."""
    countdown = countdown_of(seat)
    if countdown is None or seat.due_at is None or not countdown.reserve:
        return seat.due_at
    ends = countdown.own_time_ends_at(under_settings(own, seat.table, game))
    return nearest_end(ends, seat.due_at, clock.now())
