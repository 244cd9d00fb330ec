"""The log of a game as one viewer reads it: its entries in chapters, and who made each of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from games.models import LogEntry, SeatChange, Table
from games.narration.cast import Cast
from games.narration.dealing_sentences import Narrated, merge_deals
from games.narration.endings import ending_text
from games.narration.entries import entry_sentences, stand_in
from games.narration.times import changes_since, names_at, table_events
from games.presenters.chapters import Chapter, begins_chapter, chapters
from games.presenters.position import Position


@dataclass(frozen=True)
class GameLog:
    """The log of a game until a position, as its viewer reads it."""

    position: Position
    new_from: int | None = None  # the step from which it is new to its reader
    is_whole: bool = False  # whether the reader has opened all of it

    @cached_property
    def chapters(self) -> tuple[Chapter, ...]:
        """The log in sentences, a chapter for each battle, in the order of play, with the table's own events.

        All chapters if the reader opened the whole log. Otherwise the last one, and those from the first with
        something new.
        """
        position = self.position
        ending = ending_text(position.game, position.cast) if position.was_ended else ""
        since = [0, *self._beginnings][self.earlier]
        events = [position.known_of(entry) for entry in position.replay.plies[since:]]
        return chapters(
            events, self.names_at, self.table_events, ending, self.clocked, self._first_new, since
        )

    @cached_property
    def earlier(self) -> int:
        """How many earlier chapters are left out."""
        if self.is_whole:
            return 0
        end, new = len(self.position.replay.plies), self._first_new
        return bisect_left(self._beginnings, end if new is None else min(new, end))

    @cached_property
    def _beginnings(self) -> list[int]:
        """Return the entries that begin a chapter, except the first."""
        plies = self.position.replay.plies
        return [ply for ply, entry in enumerate(plies) if begins_chapter(entry.events)]

    @cached_property
    def _first_new(self) -> int | None:
        """Return the entry from which the log is new.

        Secret moves share a step: what they led to is new (R17).
        """
        if self.new_from is None:
            return None
        states, end = self.position.replay.states, len(self.position.replay.plies)
        return bisect_left(states, self.new_from, hi=end, key=lambda state: state.step)

    @property
    def newest(self) -> str:
        """The last sentence of the log; empty before the first."""
        position, end = self.position, len(self.position.replay.plies)
        if position.was_ended:
            return ending_text(position.game, position.cast)
        entries = (self._with_table_events(ply) for ply in reversed(range(end)))
        sentences = chain([self.table_events.get(end, [])], entries)
        return next((said[-1] for said in sentences if said), "")

    def _with_table_events(self, ply: int) -> list[str]:
        """Return the sentences of one entry, after those of the table's own events before it."""
        events = self.position.known_of(self.position.replay.plies[ply])
        return [*self.table_events.get(ply, []), *self.sentences(ply, merge_deals(events))]

    def sentences_of_news(self) -> list[str]:
        """Return what is new to the reader, from the first entry of the step from which it is new."""
        first, end = self._first_new or 0, len(self.position.replay.plies)
        told = [said for ply in range(first, end) for said in self._with_table_events(ply)]
        position = self.position
        return [*told, ending_text(position.game, position.cast)] if position.was_ended else told

    def sentences(self, ply: int, events: Iterable[Narrated]) -> list[str]:
        """Return what is said of these events of an entry."""
        names, by_clock = self.names_at(ply), ply in self.clocked
        return [said for event in events for said in entry_sentences(event, names, by_clock=by_clock)]

    @cached_property
    def clocked(self) -> frozenset[int]:
        """The log entries that the clock made because no move came."""
        return frozenset(ply for ply, via in self._made_for_seats.items() if via == LogEntry.Via.CLOCK)

    @cached_property
    def ordered(self) -> frozenset[int]:
        """The log entries that standing orders made, as far as the viewer may know."""
        return frozenset(ply for ply, via in self._made_for_seats.items() if via == LogEntry.Via.ORDER)

    @cached_property
    def _made_for_seats(self) -> dict[int, str]:
        """Return the entries made by the clock, and those a bot or an order made for the viewer's seat.

        Once the game is over, everyone sees what standing orders did.
        """
        # An earlier position has fewer entries.
        made = zip(self.position.game.vias, self.position.replay.plies, strict=False)
        return {ply: via for ply, (via, entry) in enumerate(made) if self._is_made_for(via, entry.seat)}

    def _is_made_for(self, via: str, seat: int | None) -> bool:
        position = self.position
        if via == LogEntry.Via.ORDER:
            return seat == position.viewer or (position.game.is_over and not position.as_then)
        is_absent = via == LogEntry.Via.BOT and seat == position.viewer
        return position.game.table.pace != Table.Pace.NONE and (via == LogEntry.Via.CLOCK or is_absent)

    def is_viewers_own(self, ply: int, seat: int | None) -> bool:
        """Return whether the viewer personally made this entry at that seat, with no substitute."""
        return seat == self.position.viewer and ply not in self._made_for_seats

    @cached_property
    def changes(self) -> list[SeatChange]:
        """The seats that have changed hands since this game began."""
        return changes_since(self.position.game)

    @cached_property
    def table_events(self) -> dict[int, list[str]]:
        """The table's own events outside the log, in sentences, by the entry they came before."""
        return table_events(self.position.game, self.position.cast, self.changes)

    def names_at(self, ply: int) -> Cast:
        """Return the names of the seats when this entry was made, and which was the reader's."""
        position = self.position
        cast = names_at(ply, position.game, position.cast, self.changes) if self.changes else position.cast
        if ply not in self._made_for_seats:
            return cast
        seat = position.replay.plies[ply].seat
        return Cast(cast, cast.reader, stand_in(self._made_for_seats[ply], seat, cast), seat)


@dataclass(frozen=True)
class LogChapter:
    """One chapter as a page shows it: its number in the game, and whether it is unfolded."""

    number: int
    chapter: Chapter
    is_open: bool


@dataclass(frozen=True)
class LogSection:
    """The log on a page, the newest chapter first."""

    chapters: tuple[LogChapter, ...]
    earlier: int  # how many chapters are left out
    newest: str  # the last sentence


def log_section(log: GameLog) -> LogSection:
    """Return the log as a page shows it."""
    last, numbered = len(log.chapters) - 1, list(enumerate(log.chapters))
    chapters = [
        LogChapter(log.earlier + place + 1, chapter, is_open=place == last or chapter.is_new or log.is_whole)
        for place, chapter in reversed(numbered)
    ]
    return LogSection(tuple(chapters), log.earlier, log.newest)
