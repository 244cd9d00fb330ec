"""The log of a game in chapters, one per battle, made of redacted events and the table's own events."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from games.map.region_names import region_name
from games.narration.cast import Cast
from games.narration.dealing_sentences import merge_deals
from games.narration.entries import entry_sentences
from games.rules import events as happened

# The events that begin a chapter of the log.
BEGINNINGS = (happened.RegionChosen, happened.FinalBattleBegun)


@dataclass(frozen=True)
class Chapter:
    """The sentences of one battle, or of what came before the first."""

    title: str
    sentences: tuple[str, ...]
    read: int | None = None  # how many of them the reader has read; None: nothing is marked as new

    @property
    def is_new(self) -> bool:
        """Whether it has something the reader has not read."""
        return self.read is not None and self.read < len(self.sentences)


def begins_chapter(events: Iterable[happened.Event]) -> bool:
    """Return whether a region is chosen in this entry, or a final battle begins."""
    return any(isinstance(event, BEGINNINGS) for event in events)


def chapters(
    plies: Sequence[Sequence[happened.Event]],
    names_at: Callable[[int], Cast],
    table_events: Mapping[int, list[str]],
    ending: str,
    clocked: Container[int] = (),
    first_new: int | None = None,
    since: int = 0,
) -> tuple[Chapter, ...]:
    """Return events as chapters: all of them, or those from the entry `since`, which begins a chapter.

    `plies` are the events of the entries from there. `names_at` says who had the seats at an entry.
    `table_events` is what happened at the table before an entry, `ending` how the table ended the game (R49).
    `clocked` are the entries that the clock made. `first_new` is the first entry the reader has not read.
    """
    parts: list[tuple[str, list[str]]] = [(_("Start of the game"), [])]
    read: list[int] = []  # how many sentences of each chapter came before the new ones
    end = since + len(plies)
    for ply, events in enumerate(plies, since):
        if ply == first_new:
            read = [len(sentences) for _title, sentences in parts]
        parts[-1][1].extend(table_events.get(ply, []))
        for event in merge_deals(events):
            if isinstance(event, BEGINNINGS):
                parts.append((_title_of(event), []))
            parts[-1][1].extend(entry_sentences(event, names_at(ply), by_clock=ply in clocked))
    if first_new is not None and first_new >= end:
        read = [len(sentences) for _title, sentences in parts]
    parts[-1][1].extend([*table_events.get(end, []), *filter(None, [ending])])
    unread = [0] * (len(parts) - len(read))
    marks: Sequence[int | None] = [None] * len(parts) if first_new is None else read + unread
    made = [
        Chapter(title, tuple(sentences), mark) for (title, sentences), mark in zip(parts, marks, strict=True)
    ]
    return tuple(made[1:] if since else made)  # the first chapter holds the end of the one before `since`


def _title_of(event: happened.RegionChosen | happened.FinalBattleBegun) -> str:
    if isinstance(event, happened.FinalBattleBegun):
        return _("The final battle")
    # Translators: a heading. region is a region of the map.
    return _("The battle for %(region)s") % {"region": region_name(event.region)}
