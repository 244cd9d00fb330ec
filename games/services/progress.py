"""A game's position, and the log entries that led to it and are not stored yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from games.models import Game, LogEntry
from games.models.replay import replayed
from games.rules import Event, Move, State, apply


@dataclass
class Progress:
    """A position, and the log entries that led to it and are not stored yet."""

    state: State
    entries: list[LogEntry] = field(default_factory=list)
    events: dict[int, tuple[Event, ...]] = field(default_factory=dict)  # by ply, unredacted

    @classmethod
    def of(cls, game: Game) -> Progress:
        """Return the game's position as its log tells it. Raises BrokenLog."""
        played = replayed(game)
        return cls(played.state, events=dict(enumerate([entry.events for entry in played.plies])))

    def since(self, ply: int) -> list[Event]:
        """Return what has happened from this log entry on."""
        return [event for at in range(ply, self.state.ply) for event in self.events.get(at, ())]

    @property
    def new_events(self) -> list[Event]:
        """What has happened since the stored log."""
        return self.since(self.entries[0].ply) if self.entries else []

    def play(self, game: Game, seat: int | None, move: Move, at: datetime, **how: object) -> None:
        """Apply one move and add its entry. Raises IllegalMove, and then adds nothing."""
        ply = self.state.ply
        self.state, self.events[ply] = apply(self.state, seat, move)
        self.entries.append(LogEntry(game=game, ply=ply, seat=seat, move=str(move), at=at, **how))
