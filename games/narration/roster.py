"""The players at a table, as its pages show them. Reads only."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import ngettext

from accounts.models import User
from games.models import Seat, Table
from games.narration.seat_names import shown_names


@dataclass(frozen=True)
class Roster:
    """The seats of a table in order with their shown names, and how many are open."""

    seats: tuple[Seat, ...]
    names: tuple[str, ...]
    size: int

    @property
    def named(self) -> list[tuple[Seat, str]]:
        return list(zip(self.seats, self.names, strict=True))

    @property
    def shown_names(self) -> list[str]:
        """The players for a list; at anonymous tables, the number of people and the bots."""
        if not any(seat.anonymity == Table.Anonymity.NAMELESS for seat in self.seats):
            return list(self.names)
        people = sum(seat.user is not None and not seat.user.is_bot for seat in self.seats)
        text = ngettext("%(n)d player", "%(n)d players", people) % {"n": people}
        return [text, *(name for seat, name in self.named if seat.bot or (seat.user and seat.user.is_bot))]

    @property
    def free(self) -> range:
        """One item for each open seat."""
        return range(max(0, self.size - len(self.seats)))

    @property
    def is_full(self) -> bool:
        return len(self.seats) >= self.size

    def seat_of(self, user: User) -> Seat | None:
        """Return this person's seat, if they have one."""
        return next((seat for seat in self.seats if seat.user_id == user.pk), None)

    def name_of(self, user: User) -> str:
        """Return this person's name here, or their own name if they have no seat."""
        named = (name for seat, name in self.named if seat.user_id == user.pk)
        return next(named, user.shown_name)


def host_at(table: Table, viewer: User | None) -> str:
    """Return the host's name as shown at the table; empty for none.

    The host is always named, but not their seat.
    """
    if table.host is None:
        return ""
    return table.host.shown_name if table.anonymity else roster_at(table, viewer).name_of(table.host)


def roster_at(table: Table, viewer: User | None) -> Roster:
    """Return the roster of a table as `viewer` may see it, in one query."""
    seats = tuple(table.all_seats())
    return Roster(seats, shown_names(seats, viewer), table.size)
