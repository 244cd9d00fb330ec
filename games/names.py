"""How people are called at a table. The one place that decides what a viewer is told of who sits where."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from accounts.names import BOT, GUEST, SOMEBODY, skeletons
from games.models import Table

if TYPE_CHECKING:
    from accounts.models import User

BOT_NAMES = ("Sforza", "Montefeltro", "Gattamelata", "Colleoni", "Carmagnola", "Malatesta")  # condottieri

# What people are called while nobody knows who is who: beasts of heraldry that begin as the seats' letters do
# (games.map.heraldry).
SIGNS = (
    gettext_noop("Antelope"),
    gettext_noop("Boar"),
    gettext_noop("Crane"),
    gettext_noop("Dragon"),
    gettext_noop("Eagle"),
    gettext_noop("Falcon"),
)


class Person(Protocol):
    """Somebody with a name that others may see."""

    @property
    def shown_name(self) -> str: ...


class Sitter(Protocol):
    """A seat as far as its name goes."""

    @property
    def number(self) -> int: ...
    @property
    def user(self) -> Person | None: ...
    @property
    def bot(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def veil(self) -> str: ...


def shown_names(seats: Iterable[Sitter], viewer: User | None) -> tuple[str, ...]:
    """The name of each seat, in seat order, as `viewer` may see it; namesakes are told apart by their seat.

    Where nobody knows who is who, the names are those of the seats, for the viewer's own as well: so the
    others call him.
    """
    ordered = sorted(seats, key=lambda seat: seat.number)
    names = [seat_name(seat) for seat in ordered]
    if any(seat.veil for seat in ordered):
        return tuple(names)
    looks = [skeletons(name) for name in names]
    return tuple(
        f"{name} ({number + 1})" if sum(not look.isdisjoint(other) for other in looks) > 1 else name
        for number, (name, look) in enumerate(zip(names, looks, strict=True))
    )


def seat_name(seat: Sitter) -> str:
    """What one seat is called by itself: a person's chosen name, or what he is hidden behind; a bot's by its
    place, a record's, or a guest."""
    if seat.user is not None:
        return name_at(seat.veil, seat.number, seat.user)
    if seat.bot:
        return bot_name(seat.number)
    return seat.name or _(GUEST)


def name_at(veil: str, number: int, person: Person) -> str:
    """What a person who has, or had, this seat is called behind such a veil."""
    if veil == Table.Veil.SEATS:
        return _(SIGNS[number])
    return _(SOMEBODY) if veil else person.shown_name


def bot_name(number: int) -> str:
    """What a bot at this seat is called."""
    return _(BOT) % {"name": BOT_NAMES[number % len(BOT_NAMES)]}
