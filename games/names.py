"""How people are called at a table. The one place that decides what a viewer is told of who sits where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from django.utils.translation import gettext as _

from accounts.names import BOT, GUEST

if TYPE_CHECKING:
    from accounts.models import User

BOT_NAMES = ("Sforza", "Montefeltro", "Gattamelata", "Colleoni", "Carmagnola", "Malatesta")  # condottieri


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


def shown_names(seats: Iterable[Sitter], viewer: User | None) -> tuple[str, ...]:
    """The name of each seat, in seat order, as `viewer` may see it; namesakes are told apart by their seat.

    The viewer makes no difference yet; tables at which nobody knows who is who will use it.
    """
    names = [seat_name(seat) for seat in sorted(seats, key=lambda seat: seat.number)]
    bearers = Counter(name.casefold() for name in names)
    if len(bearers) == len(names):
        return tuple(names)
    return tuple(
        f"{name} ({number + 1})" if bearers[name.casefold()] > 1 else name
        for number, name in enumerate(names)
    )


def seat_name(seat: Sitter) -> str:
    """What one seat is called by itself: a person's chosen name, a bot's by its place, a record's, or a
    guest."""
    if seat.user is not None:
        return seat.user.shown_name
    if seat.bot:
        return bot_name(seat.number)
    return seat.name or _(GUEST)


def bot_name(number: int) -> str:
    """What a bot at this seat is called."""
    return _(BOT) % {"name": BOT_NAMES[number % len(BOT_NAMES)]}
