"""Which hours count for a decision: a player's own calendar, as far as the table's settings go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime

from accounts.availability import hours_of_person
from accounts.models import User
from accounts.working_hours import DAY, Hours
from games.clocks.running_clocks import is_present
from games.models import Game, Seat, Table
from games.rules import Phase

HIDDEN = Phase.HAND  # R17: only the player knows that they are asked this

Calendars = tuple[Hours, ...]
NOBODYS: Mapping[int, Hours] = {}


def hours_of(user: User, table: Table, game: Game) -> Hours:
    """Return this user's hours that count in this game, by their current calendar."""
    if table.hours == Table.Hours.ALL:
        return Hours(user.zone)  # nothing of a calendar counts, so none is read
    return under_settings(hours_of_person(user), table, game)


def under_settings(own: Hours, table: Table, game: Game) -> Hours:
    """Apply the table's settings to a user's own hours.

    Holidays count from the start of the game, and only as many days as the table allows.
    """
    if table.hours == Table.Hours.ALL:
        return Hours(own.zone)
    holidays = tuple(_granted(own, game.started_at, table.most_holidays))
    if table.hours == Table.Hours.HOLIDAYS:
        return Hours(own.zone, holidays=holidays)
    return replace(own, holidays=holidays)


def _granted(own: Hours, begun: datetime, most: int) -> Iterable[tuple[date, date]]:
    """Return the first `most` days of holidays after a game's start; a repeated day counts once."""
    reached = begun.astimezone(own.zone).date()
    for first, last in sorted(own.holidays):
        first = max(first, reached)
        last = min(last, first + DAY * (most - 1))
        if first <= last:
            yield first, last
            most -= (last - first).days + 1
            reached = last + DAY


def calendars_for(
    seat: Seat, table: Table, game: Game, seats: Iterable[Seat], instead: Mapping[int, Hours] = NOBODYS
) -> Calendars:
    """Return the hours that the decision of this seat waits for.

    These are its own player's. For a secret decision they are those of everyone present. Then the moment when
    the game goes on without an answer does not reveal who was asked (R17).

    `instead` has hours by user, to use in place of their current calendar.
    """
    waited_for = [seat]
    if seat.pending_decision == HIDDEN:
        waited_for += [other for other in seats if is_present(other) and other.pk != seat.pk]
    return tuple(
        under_settings(instead[one.person.pk], table, game)
        if one.person.pk in instead
        else hours_of(one.person, table, game)
        for one in waited_for
    )
