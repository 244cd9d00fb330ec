"""One position of a finished game as its page shows it: every hand open, or what one seat knew then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from games.map.board import BoardView
from games.rules import Event, Replay, observe, redact
from games.telling.battle_stories import outcome_in_brief, story
from games.telling.battles import Battle, battles_in
from games.telling.endings import told_ending
from games.telling.narration import told_together
from games.telling.told_times import told_entry
from games.viewing.game_view import GameView, board_of

if TYPE_CHECKING:
    from games.views.history import Reading


@dataclass(frozen=True)
class Moment:
    """One position of a finished game as a page shows it: to all, or as one seat knew it then."""

    reading: Reading
    replay: Replay
    ply: int
    seat: int | None

    @property
    def last(self) -> int:
        return len(self.replay.plies)

    @cached_property
    def view(self) -> GameView:
        ply = self.ply
        until = Replay(self.replay.states[: ply + 1], self.replay.plies[:ply], self.replay.states[ply], None)
        names = self.reading.names
        return GameView(self.reading.game, until, names, self.seat, as_then=self.seat is not None)

    @property
    def board(self) -> BoardView:
        return board_of(self.view)

    @property
    def seen_by(self) -> str:
        """The name of the seat through whose eyes this is seen; empty for none."""
        return "" if self.seat is None else self.reading.names[self.seat]

    @property
    def viewer_number(self) -> int | None:
        """What stands for that seat in addresses: people count from one."""
        return None if self.seat is None else self.seat + 1

    @property
    def hands(self) -> list[tuple[int, str, Sequence[str]]]:
        """The hands that are shown: all, or the one that the seat held."""
        seats = range(self.reading.game.players) if self.seat is None else [self.seat]
        state = self.replay.states[self.ply]
        return [(seat, self.reading.names[seat], observe(state, seat).hand or ()) for seat in seats]

    @cached_property
    def happened(self) -> list[str]:
        """The entry that led here in sentences, with what the table did before it and at the end (R49)."""
        ply, view = self.ply, self.view
        beside = view.beside
        told = [*beside.get(ply - 1, []), *self._entry_told(ply - 1)] if ply else []
        if ply == self.last:
            told += [*beside.get(ply, []), *filter(None, [told_ending(view.game, view.names)])]
        return told

    def _entry_told(self, ply: int) -> list[str]:
        by_clock, names = ply in self.view.clocked, self.view.names_at(ply)
        events = told_together(self._seen(ply))
        return [told for event in events for told in told_entry(event, names, by_clock=by_clock)]

    def _seen(self, ply: int) -> Sequence[Event]:
        """What there is to know of an entry: all, or what the seat was told."""
        events = self.replay.plies[ply].events
        return events if self.seat is None else redact(events, self.seat)

    @cached_property
    def battle(self) -> Battle | None:
        """The battle that goes on here, or was fought last, as far as it has come."""
        until = battles_in([self._seen(ply) for ply in range(self.ply)])
        return until[-1] if until else None

    @property
    def story(self) -> list[str]:
        return story(self.battle, self.view.names_at, self.view.clocked) if self.battle else []

    @property
    def battles(self) -> list[dict[str, object]]:
        """All battles of the game, each with where it begins and who won it."""
        here = self.battle.number if self.battle else 0
        return [
            {
                "title": battle.place,
                "winner": outcome_in_brief(battle, self.view.names_at),
                "seat": battle.winner,
                "url": self.url(battle.first + 1),
                "is_here": battle.number == here,
            }
            for battle in battles_in([entry.events for entry in self.replay.plies])
        ]

    @property
    def steps(self) -> dict[str, str]:
        """Where the history's links lead from this ply; nothing where there is nothing further."""
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
        """The ways to look at this position, with their addresses."""
        ways: list[tuple[int | None, str]] = [(None, _("All hands")), *enumerate(self.reading.names)]
        return [
            {"seat": seat, "name": name, "url": self._address(self.ply, seat), "is_here": seat == self.seat}
            for seat, name in ways
        ]

    def url(self, ply: int) -> str:
        """Where a position is found, seen through the same eyes."""
        return self._address(ply, self.seat)

    def _address(self, ply: int, seat: int | None) -> str:
        query = "" if seat is None else "?" + urlencode({"as": seat + 1})
        return self.reading.position_url(ply) + query
