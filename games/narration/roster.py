"""The players at a table, and the names a reader may see."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from accounts.look_alikes import skeletons
from accounts.models import User
from accounts.names import BOT, GUEST, SOMEBODY
from games.models import Seat, Table

BOT_NAMES = ("Sforza", "Montefeltro", "Gattamelata", "Colleoni", "Carmagnola", "Malatesta")  # condottieri

# Names at anonymous tables: heraldic beasts that begin with the letter of the seat (games.map.board).
SIGNS = (
    # Translators: the name of a player who stays anonymous; the seat's letter in English is A
    gettext_noop("Antelope"),
    # Translators: the name of a player who stays anonymous; the seat's letter in English is B
    gettext_noop("Boar"),
    # Translators: the name of a player who stays anonymous; the seat's letter in English is C
    gettext_noop("Crane"),
    # Translators: the name of a player who stays anonymous; the seat's letter in English is D
    gettext_noop("Dragon"),
    # Translators: the name of a player who stays anonymous; the seat's letter in English is E
    gettext_noop("Eagle"),
    # Translators: the name of a player who stays anonymous; the seat's letter in English is F
    gettext_noop("Falcon"),
)


class Person(Protocol):
    """A person with a name that others may see."""

    @property
    def shown_name(self) -> str: ...


class Sitter(Protocol):
    """A seat, as far as its name is concerned."""

    @property
    def number(self) -> int: ...
    @property
    def user(self) -> Person | None: ...
    @property
    def bot(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def anonymity(self) -> str: ...


def shown_names(seats: Iterable[Sitter], viewer: User | None) -> tuple[str, ...]:
    """Return each seat's name, in seat order, as `viewer` may see it; equal names get their seat added.

    At anonymous tables these are the seats' names, also for the viewer's own seat, because the others use it.
    """
    ordered = sorted(seats, key=lambda seat: seat.number)
    names = [seat_name(seat) for seat in ordered]
    if any(seat.anonymity for seat in ordered):
        return tuple(names)
    looks = [skeletons(name) for name in names]
    return tuple(
        f"{name} ({number + 1})" if sum(not look.isdisjoint(other) for other in looks) > 1 else name
        for number, (name, look) in enumerate(zip(names, looks, strict=True))
    )


def seat_name(seat: Sitter) -> str:
    """Return one seat's name: a chosen or anonymous name, a numbered bot, a recorded name, or a guest."""
    if seat.user is not None:
        return name_at(seat.anonymity, seat.number, seat.user)
    if seat.bot:
        return bot_name(seat.number)
    return seat.name or _(GUEST)


def name_at(anonymity: str, number: int, person: Person) -> str:
    """Return the name at this anonymity level of a person who has, or had, this seat."""
    if anonymity == Table.Anonymity.SEATS:
        return _(SIGNS[number])
    return _(SOMEBODY) if anonymity else person.shown_name


def bot_name(number: int) -> str:
    """Return the name of a bot at this seat."""
    return _(BOT) % {"name": BOT_NAMES[number % len(BOT_NAMES)]}


# Roster of a table as its pages show it. Reads only


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
        people = sum(seat.user_id is not None for seat in self.seats)
        text = ngettext("%(n)d player", "%(n)d players", people) % {"n": people}
        return [text, *(bot_name(seat.number) for seat in self.seats if seat.bot)]

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
