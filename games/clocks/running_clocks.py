"""Clocks that run: at which tables, for which seats, and whether they're paused."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from games.clocks.policy import PACES, Pace
from games.models import Game, Seat, Table


def pace_of(table: Table) -> Pace | None:
    """Return the time per move at this table, or None if no clock runs."""
    return PACES.get(table.pace)


def runs_clock(seat: Seat, table: Table, seats: Iterable[Seat]) -> bool:
    """Return whether decisions of this seat have a deadline: a person's, with another person waiting."""
    others = (other for other in seats if other.pk != seat.pk)
    return (
        table.pace in PACES
        and seat.user_id is not None
        and any(other.user_id is not None for other in others)
    )


def are_calendars_read(table: Table) -> bool:
    """Return whether this table's clocks use the players' own calendars."""
    return table.pace in PACES and table.hours != Table.Hours.ALL


def is_present(seat: Seat) -> bool:
    """Return whether a person has this seat and plays it without a bot."""
    return seat.user_id is not None and not seat.played_by_bot


def is_paused(game: Game, now: datetime) -> bool:
    """Return whether the clocks of this game are paused."""
    return game.paused_until is not None and game.paused_until > now
