"""The names of seats that a reader may see: people, bots, and names at anonymous tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from accounts.look_alikes import skeletons
from accounts.models import User
from accounts.names import GUEST, SOMEBODY, marked_as_bot
from games.models import Table

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
    @property
    def is_bot(self) -> bool: ...


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
    if ordered and ordered[0].anonymity:  # that of the table
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
    if not anonymity:
        return person.shown_name
    name = _(SIGNS[number]) if anonymity == Table.Anonymity.SEATS else _(SOMEBODY)
    return marked_as_bot(name) if person.is_bot else name


def bot_name(number: int) -> str:
    """Return the name of a bot at this seat."""
    return marked_as_bot(BOT_NAMES[number % len(BOT_NAMES)])
