"""The names of a game's seats, and which of them is the reader, who is "you"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.utils.translation import pgettext


def and_list(words: Sequence[str]) -> str:
    """Return words in one phrase: "Anna", "Anna and Bruno", "Anna, Bruno and Carla"."""
    if len(words) < 2:
        return "".join(words)
    if len(words) == 2:
        # Translators: joins the two items of a list, such as "Anna and Bruno". Keep the spaces.
        two = pgettext("list of two", " and ")
        return two.join(words)
    # Translators: joins the last item to a list, such as "Anna, Bruno and Carla". Keep the spaces.
    last = pgettext("end of a list", " and ")
    return last.join([comma_list(words[:-1]), words[-1]])


def or_list(words: Sequence[str]) -> str:
    """Return alternatives in one phrase: "Roma", "Roma or Siena", "Roma, Siena or Torino"."""
    if len(words) < 2:
        return "".join(words)
    # Translators: joins the last item to a list of alternatives, such as "Roma or Siena". Keep the spaces.
    last = pgettext("end of a list", " or ")
    return last.join([comma_list(words[:-1]), words[-1]])


def comma_list(words: Iterable[str]) -> str:
    """Return words with only commas between them: "Anna 12, Bruno 9"."""
    # Translators: stands between two items of a list, such as "Anna, Bruno". Keep the space.
    between = pgettext("list", ", ")
    return between.join(words)


class Cast(tuple[str, ...]):
    """The shown names of a game's seats at one moment, for one reader.

    `reader` is the reader's own seat. It is None for spectators, and where someone else had that seat.
    `stand_in` is what moved for the seat `away`, as the start of a sentence; empty if its player moved.
    """

    reader: int | None
    stand_in: str
    away: int | None

    def __new__(
        cls, names: Iterable[str], reader: int | None = None, stand_in: str = "", away: int | None = None
    ) -> Cast:
        cast = super().__new__(cls, names)
        cast.reader, cast.stand_in, cast.away = reader, stand_in, away
        return cast

    @classmethod
    def of(cls, names: Sequence[str]) -> Cast:
        """Return these names as a cast; plain names have no reader among them."""
        return names if isinstance(names, cls) else cls(names)

    def moved_by(self, name: str, seat: int) -> Cast:
        """Return these names with this one at a seat, for a move that its player did not make."""
        return Cast((*self[:seat], name, *self[seat + 1 :]), None if seat == self.reader else self.reader)

    def say(self, seat: int, you: str, name: str, **words: object) -> str:
        """Return the message about this seat: `you` to its own player, `name` to everyone else."""
        return (you if seat == self.reader else name) % {"name": self[seat], **words}

    def say_of_two(self, seat: int, other: int, you: str, to_you: str, name: str, **words: object) -> str:
        """Return the message about two seats: `to_you` to the player of the `other` one.

        The messages call them %(name)s and %(other)s.
        """
        message = you if seat == self.reader else to_you if other == self.reader else name
        return message % {"name": self[seat], "other": self[other], **words}

    def say_of_several(self, seats: Sequence[int], you: str, names: str, **words: object) -> str:
        """Return the message about several seats: `you` to a player of one, who comes first in the list."""
        others = [self[seat] for seat in seats if seat != self.reader]
        if self.reader not in seats:
            return names % {"names": and_list(others), **words}
        # Translators: the reader, first in a list that begins a sentence, such as "You, Anna and Carla".
        first = pgettext("start of a list of players", "You")
        return you % {"names": and_list([first, *others]), **words}

    def say_of_lines(self, seats: Sequence[int], yours: str, names: str, **words: object) -> str:
        """Return the message about battle lines: `yours` if the reader's is the only one, else `names`."""
        return (yours if [*seats] == [self.reader] else names) % {"names": self.listed(seats), **words}

    def called(self, seat: int) -> str:
        """Return what a seat is called in a list."""
        # Translators: stands for the reader in a list of players, such as "Anna, you and Carla".
        return pgettext("in a list of players", "you") if seat == self.reader else self[seat]

    def listed(self, seats: Iterable[int]) -> str:
        """Return these seats in one phrase: "Anna, you and Carla"."""
        return and_list([self.called(seat) for seat in seats])

    def with_values(self, values: Iterable[tuple[int, object]]) -> str:
        """Return seats with a value each: "Anna 12, you 9"."""
        return comma_list(f"{self.called(seat)} {value}" for seat, value in values)
