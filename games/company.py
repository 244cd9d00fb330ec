"""Who sits at a table, as its pages show it. Reads only."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.models import User
from games.models import Seat, Table
from games.names import shown_names


@dataclass(frozen=True)
class Company:
    """The seats of a table in order with their shown names, and how many are free."""

    seats: tuple[Seat, ...]
    names: tuple[str, ...]
    size: int

    @property
    def named(self) -> list[tuple[Seat, str]]:
        return list(zip(self.seats, self.names, strict=True))

    @property
    def free(self) -> range:
        """One for each free seat."""
        return range(max(0, self.size - len(self.seats)))

    @property
    def is_full(self) -> bool:
        return len(self.seats) >= self.size

    def seat_of(self, user: User) -> Seat | None:
        """This person's seat, if he has one."""
        return next((seat for seat in self.seats if seat.user_id == user.pk), None)

    def name_of(self, user: User) -> str:
        """What this person is called here, or by himself if he has no seat."""
        named = (name for seat, name in self.named if seat.user_id == user.pk)
        return next(named, user.shown_name)


def company_at(table: Table, viewer: User | None) -> Company:
    """The company of a table as `viewer` may see it, in one query."""
    seats = tuple(table.all_seats())
    return Company(seats, shown_names(seats, viewer), table.size)
