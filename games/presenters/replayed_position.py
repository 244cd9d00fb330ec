"""One position of a finished game, for looking back: as everyone sees it now, or as one seat knew it then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from games.narration.battle_stories import outcome_in_brief, story
from games.narration.battles import Battle, battles_in
from games.narration.dealing_sentences import merge_deals
from games.narration.endings import ending_text
from games.narration.entries import chooser_text
from games.presenters.battle import LinesSection, lines_section
from games.presenters.game_log import GameLog
from games.presenters.map_section import MapSection, board_of, map_section
from games.presenters.position import Position
from games.presenters.reading import Reading
from games.presenters.seats import PlayersSection, players_section
from games.rules import Event, Replay, observe, redact


@dataclass(frozen=True)
class ReplayedPosition:
    """One position of a finished game as a page shows it: to everyone, or as one seat knew it then."""

    reading: Reading
    replay: Replay
    ply: int
    seat: int | None

    @property
    def last(self) -> int:
        return len(self.replay.plies)

    @cached_property
    def log(self) -> GameLog:
        """The log until this position."""
        ply = self.ply
        until = Replay(self.replay.states[: ply + 1], self.replay.plies[:ply], self.replay.states[ply], None)
        game, names, reader = self.reading.game, self.reading.names, self.reading.seat
        return GameLog(Position(game, until, names, self.seat, as_then=self.seat is not None, reader=reader))

    @cached_property
    def map(self) -> MapSection:
        return map_section(self.log.position, board_of(self.log.position))

    @property
    def lines(self) -> LinesSection | None:
        return lines_section(self.log.position)

    @property
    def players(self) -> PlayersSection:
        return players_section(self.log.position)

    @property
    def seen_by(self) -> str:
        """The name of the seat whose view this is; empty for none."""
        return "" if self.seat is None else self.reading.names[self.seat]

    @property
    def viewer_number(self) -> int | None:
        """That seat's number in addresses, counted from 1."""
        return None if self.seat is None else self.seat + 1

    @property
    def hands(self) -> list[tuple[int, str, Sequence[str]]]:
        """The hands to show: all of them, or only the seat's own."""
        seats = range(self.reading.game.players) if self.seat is None else [self.seat]
        state = self.replay.states[self.ply]
        return [(seat, self.reading.names[seat], observe(state, seat).hand or ()) for seat in seats]

    @cached_property
    def happened(self) -> list[str]:
        """The entry that led here, as text, with the table's own events before it and at the end (R49)."""
        ply, position = self.ply, self.log.position
        table_events = self.log.table_events
        sentences = [*table_events.get(ply - 1, []), *self._entry_sentences(ply - 1)] if ply else []
        if ply == self.last:
            sentences += [
                *table_events.get(ply, []),
                *filter(None, [ending_text(position.game, position.cast)]),
            ]
        return sentences

    def _entry_sentences(self, ply: int) -> list[str]:
        told = self.log.sentences(ply, merge_deals(self._seen(ply)))
        chooser = chooser_text(self.reading.game.choosers[ply])
        return [*told, chooser] if told and chooser else told

    def _seen(self, ply: int) -> Sequence[Event]:
        """Return what can be known of an entry: everything, or what the seat saw."""
        events = self.replay.plies[ply].events
        return events if self.seat is None else redact(events, self.seat)

    @cached_property
    def battle(self) -> Battle | None:
        """The battle in progress or the last one fought, up to this position."""
        until = battles_in([self._seen(ply) for ply in range(self.ply)])
        return until[-1] if until else None

    @property
    def story(self) -> list[str]:
        return story(self.battle, self.log.names_at, self.log.clocked) if self.battle else []

    @property
    def can_be_played_on(self) -> bool:
        """Whether someone has still to decide here, or the site to shuffle."""
        return not self.replay.states[self.ply].is_over

    @property
    def battles(self) -> list[dict[str, object]]:
        """All battles of the game, each with its first position and its winner."""
        here = self.battle.number if self.battle else 0
        return [
            {
                "title": battle.place,
                "winner": outcome_in_brief(battle, self.log.names_at),
                "seat": battle.winner,
                "url": self.url(battle.first + 1),
                "is_here": battle.number == here,
            }
            for battle in battles_in([entry.events for entry in self.replay.plies])
        ]

    @property
    def steps(self) -> dict[str, str]:
        """The targets of the history's links from this position; without those that lead nowhere."""
        ply, last = self.ply, self.last
        starts = [number + 1 for number, entry in enumerate(self.replay.plies) if entry.move.kind == "place"]
        leads = {
            "first": 0 if ply else None,
            "previous_battle": next((start for start in reversed(starts) if start < ply), None),
            "previous": ply - 1 if ply else None,
            "next": ply + 1 if ply < last else None,
            "next_battle": next((start for start in starts if start > ply), None),
            "last": last if ply < last else None,
        }
        return {name: self.url(at) for name, at in leads.items() if at is not None}

    @property
    def viewpoints(self) -> list[dict[str, object]]:
        """The ways to view this position, with their addresses."""
        ways: list[tuple[int | None, str]] = [(None, _("All hands")), *enumerate(self.reading.names)]
        return [
            {"seat": seat, "name": name, "url": self._address(self.ply, seat), "is_here": seat == self.seat}
            for seat, name in ways
        ]

    def url(self, ply: int) -> str:
        """Return the address of a position, seen from the same viewpoint."""
        return self._address(ply, self.seat)

    def _address(self, ply: int, seat: int | None) -> str:
        query = "" if seat is None else "?" + urlencode({"as": seat + 1})
        return self.reading.position_url(ply) + query
