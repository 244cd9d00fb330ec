"""The course of a game as everyone at the table saw it, for judging promises.

It never contains a hand or a ply (R17).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from games.chat.observed_course import Count, GameCut, Observed, SeatLeft, counted
from games.models import Game, LogEntry, SeatChange
from games.models.replay import replayed
from games.rules import FinalBattleBegun, Replay, redact

_NOT_BY_PLAYER = (LogEntry.Via.BOT, LogEntry.Via.CLOCK)

Course = tuple[Observed, ...]


def course_of(game: Game) -> Course:
    """Return what everyone at the table saw since the beginning. Raises BrokenLog."""
    played = replayed(game)
    return (*_beginning(game), *_moves(game, played))


def progress_of(game: Game) -> Count:
    """Return how many rounds and battles are over. Raises BrokenLog."""
    return counted(course_of(game))


def course_since(game: Game, moment: datetime) -> Course:
    """Return the course, with seats that changed hands after a moment, and a game ended by the site.

    Raises BrokenLog. Read the game's row before its log, so that the log of a finished game is complete.
    """
    changes = list(SeatChange.objects.filter(game=game, at__gt=moment))  # read before the log, which may grow
    played = replayed(game)
    moves = list(_moves(game, played))
    for change in reversed(changes):
        moves.insert(change.ply, Observed(_step_before(played, change.ply), (SeatLeft(change.seat),)))
    if game.ended:
        moves.append(Observed(played.state.step, (GameCut(),)))
    return (*_beginning(game), *moves)


def _beginning(game: Game) -> Course:
    """Return the state of the course at the start.

    A match's final battle is fought from the start, and no event says so (R28).
    """
    if game.final_battle is None:
        return ()
    return (Observed(0, (FinalBattleBegun(game.fighters, game.first_condottiere),)),)


def _moves(game: Game, played: Replay) -> Sequence[Observed]:
    return [
        Observed(_step_before(played, number + 1), redact(ply.events, None), via not in _NOT_BY_PLAYER)
        for number, (ply, via) in enumerate(zip(played.plies, game.vias, strict=True))
    ]


def _step_before(played: Replay, ply: int) -> int:
    """Return the public step count before an entry; after the last entry, the current count."""
    return played.states[ply].step
