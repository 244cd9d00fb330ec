"""The log of a game in chapters, one for each battle, made of redacted events and what the table did."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from games.rules import events as happened
from games.rules import region_name
from games.telling.narration import told_together
from games.telling.told_times import told_entry


@dataclass(frozen=True)
class Chapter:
    """The sentences of one battle, or of what came before the first."""

    title: str
    sentences: tuple[str, ...]
    read: int | None = None  # how many of them the reader has read; None: nothing is marked as new
    seats: tuple[int | None, ...] = ()  # for each sentence whose deed or fate it tells

    @property
    def entries(self) -> list[tuple[str, int | None, bool]]:
        """Each sentence with its seat, and whether the reader has not read it yet."""
        first_new = len(self.sentences) if self.read is None else self.read
        return [
            (sentence, seat, number >= first_new)
            for number, (sentence, seat) in enumerate(zip(self.sentences, self.seats, strict=True))
        ]

    @property
    def is_new(self) -> bool:
        """Whether there is something in it that the reader has not read."""
        return self.read is not None and self.read < len(self.sentences)


def chapters(
    plies: Sequence[Sequence[happened.Event]],
    names_at: Callable[[int], Sequence[str]],
    beside: Mapping[int, list[str]],
    ending: str,
    clocked: Container[int] = (),
    first_new: int | None = None,
) -> tuple[Chapter, ...]:
    """Events as chapters: a new one begins where a region is chosen or a final battle begins.

    `names_at` says who had the seats at an entry, `beside` is what the table did before one, `ending` how it
    ended the game itself (R49), `clocked` are the entries that the clock made, and `first_new` is the first
    that the reader has not read.
    """
    told: list[tuple[str, list[tuple[str, int | None]]]] = [(_("The beginning"), [])]
    read: list[int] = []  # how many sentences of each chapter came before the new ones
    for ply, events in enumerate(plies):
        if ply == first_new:
            read = [len(sentences) for _title, sentences in told]
        told[-1][1].extend((sentence, None) for sentence in beside.get(ply, []))
        for event in told_together(events):
            if isinstance(event, happened.RegionChosen):
                title = _("The battle for %(region)s") % {"region": region_name(event.region)}
                told.append((title, []))
            elif isinstance(event, happened.FinalBattleBegun):
                told.append((_("The final battle"), []))
            sentences = told_entry(event, names_at(ply), by_clock=ply in clocked)
            told[-1][1].extend((sentence, getattr(event, "seat", None)) for sentence in sentences)
    if first_new is not None and first_new >= len(plies):
        read = [len(sentences) for _title, sentences in told]
    last = [*beside.get(len(plies), []), *filter(None, [ending])]
    told[-1][1].extend((sentence, None) for sentence in last)
    unread = [0] * (len(told) - len(read))
    marks: Sequence[int | None] = [None] * len(told) if first_new is None else read + unread
    return tuple(
        Chapter(title, tuple(text for text, _seat in entries), mark, tuple(seat for _text, seat in entries))
        for (title, entries), mark in zip(told, marks, strict=True)
    )
