"""Who sits at a table, as its pages show it. Reads only."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import ngettext

from accounts.models import User
from games.models import Seat, Table
from games.names import bot_name, shown_names


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
    def told(self) -> list[str]:
        """Who sits here, for a list: where nobody is told from another, how many people, and which bots."""
        if not any(seat.veil == Table.Veil.COMPANY for seat in self.seats):
            return list(self.names)
        people = sum(seat.user_id is not None for seat in self.seats)
        told = ngettext("%(n)d player", "%(n)d players", people) % {"n": people}
        return [told, *(bot_name(seat.number) for seat in self.seats if seat.bot)]

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


def host_at(table: Table, viewer: User | None) -> str:
    """The host by name, as the table knows him: he is always named, but not his seat; empty for none."""
    if table.host is None:
        return ""
    return table.host.shown_name if table.veil else company_at(table, viewer).name_of(table.host)


def company_at(table: Table, viewer: User | None) -> Company:
    """The company of a table as `viewer` may see it, in one query."""
    seats = tuple(table.all_seats())
    return Company(seats, shown_names(seats, viewer), table.size)
