"""One position of a game as one viewer sees it: the observation, and what follows from it.

Made from observations and redacted events. Never looks inside a State, so that nothing a viewer may not know
can get onto a page (architecture, idea 6). The sections of a page say it in words (game_page.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from games.access import GameAccess
from games.models import Game
from games.models.replay import replayed_for
from games.narration.cast import Cast
from games.presenters.choices import Choices
from games.presenters.hand import Foresee
from games.rules import (
    IllegalMove,
    Move,
    Observation,
    Phase,
    Ply,
    Replay,
    apply,
    observe,
    preview,
    prizes,
    redact,
)
from games.rules import events as happened


@dataclass(frozen=True)
class Position:
    """One position of a game as one viewer sees it: a seat's number, or None for spectators.

    `as_then`: even of a finished game, only what the viewer knew at that moment.
    """

    game: Game
    replay: Replay
    names: tuple[str, ...]
    viewer: int | None
    as_then: bool = False
    is_answered_elsewhere: bool = False  # the viewer's current decision is for another page
    reader: int | None = None  # the seat of the person who reads this, who is "you"

    @cached_property
    def seen(self) -> Observation:
        seen = observe(self.replay.state, self.viewer)
        if self.was_ended:  # the rules would go on asking
            return replace(seen, asked=None, legal=(), waiting_for=())
        if self.is_answered_elsewhere:
            return replace(seen, asked=None, legal=())
        return seen

    @cached_property
    def cast(self) -> Cast:
        """The names of the seats now, of which one may be the reader's."""
        return Cast(self.names, self.reader)

    @cached_property
    def was_ended(self) -> bool:
        """Whether this is where the table, not the rules, ended the game (R49)."""
        return bool(self.game.ended) and self.replay.state.ply == self.game.ply

    @cached_property
    def is_over(self) -> bool:
        """Whether the game is over here, by the rules or by its table."""
        return self.was_ended or self.seen.outcome is not None

    @property
    def is_in_battle(self) -> bool:
        """Whether a battle is going on here."""
        return self.seen.phase == Phase.BATTLE

    @cached_property
    def decision_step(self) -> int | None:
        """The step of the viewer's open decision; None if they have none."""
        return self.seen.asked.decision_step if self.seen.asked else None

    @cached_property
    def prizes(self) -> Mapping[str, tuple[int, ...]]:
        """The regions that would win the game at once, each with the seats that would win."""
        return {} if self.was_ended else prizes(self.seen)

    @cached_property
    def choices(self) -> Choices:
        """The moves the viewer can make, each with what it leads to."""
        return Choices(self.seen, self.cast, self._foreseen)

    @cached_property
    def _foreseen(self) -> Foresee:
        """What a move leads to as events; the first is the move itself. Each move is tried once."""
        viewer, tried = self.viewer, dict[str, tuple[happened.Event, ...]]()
        if viewer is None:
            return lambda move: ()

        def foresee(move: Move) -> tuple[happened.Event, ...]:
            if move.text not in tried:
                tried[move.text] = preview(self.replay.state, viewer, move)
            return tried[move.text]

        return foresee

    def why_not(self, move: Move) -> IllegalMove | None:
        """Return the rules' objection to the viewer's move; None for a legal one."""
        try:
            apply(self.replay.state, self.viewer, move)
        except IllegalMove as error:
            return error
        return None

    def known_of(self, entry: Ply) -> tuple[happened.Event, ...]:
        """Return what the viewer may know of a log entry; all of it once the game is over."""
        return entry.events if self.knows_all else redact(entry.events, self.viewer)

    @cached_property
    def knows_all(self) -> bool:
        """Whether nothing is secret any more."""
        return self.is_over and not self.as_then


def position_through(access: GameAccess) -> Position:
    """Return the game as this access shows it.

    The link of a closed decision shows what everyone may see. In the visit that has just answered, it shows
    what the seat sees.
    """
    if access.is_visit or access.opens(access.seat.decision_step):
        position = _position_of(access, access.seat.number)
        # It may have been answered since the seat was read.
        if not access.is_link or access.opens(position.decision_step):
            return position
        if access.is_visit:
            return replace(position, is_answered_elsewhere=True)
    return _position_of(access, None)


def _position_of(access: GameAccess, seat: int | None) -> Position:
    return Position(access.game, replayed_for(access.game, seat), access.names, seat, reader=seat)
