"""A game's course as its whole table saw it, for judging promises by: never a hand, never a ply (R17)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from games.chat.promises import GameCut, Observed, SeatLeft
from games.models import Game, LogEntry, SeatChange
from games.models.replay import replayed
from games.rules import FinalBattleBegun, Replay, redact

_NOT_HIS_WORD = (LogEntry.Via.BOT, LogEntry.Via.CLOCK)

Course = tuple[Observed, ...]


def course_of(game: Game) -> Course:
    """All that the table saw from the beginning. Raises BrokenLog."""
    played = replayed(game)
    return (*_beginning(game), *_deeds(game, played))


def course_since(game: Game, moment: datetime) -> Course:
    """The same, with the seats that changed hands after a moment, and how the table itself ended the game.

    Raises BrokenLog. The game's row is read before its log, so that a game that was over then has it all.
    """
    changes = list(SeatChange.objects.filter(game=game, at__gt=moment))  # before the log, which may go on
    played = replayed(game)
    deeds = list(_deeds(game, played))
    for change in reversed(changes):
        deeds.insert(change.ply, Observed(_step_before(played, change.ply), (SeatLeft(change.seat),)))
    if game.ended:
        deeds.append(Observed(played.state.step, (GameCut(),)))
    return (*_beginning(game), *deeds)


def _beginning(game: Game) -> Course:
    """The final battle of a match is fought from the first, which no event says (R28)."""
    if game.final_battle is None:
        return ()
    return (Observed(0, (FinalBattleBegun(game.fighters, game.first_condottiere),)),)


def _deeds(game: Game, played: Replay) -> Sequence[Observed]:
    return [
        Observed(_step_before(played, number + 1), redact(ply.events, None), via not in _NOT_HIS_WORD)
        for number, (ply, via) in enumerate(zip(played.plies, game.vias, strict=True))
    ]


def _step_before(played: Replay, ply: int) -> int:
    """What the whole table had counted before an entry; after the last one, what it counts now."""
    return played.states[ply].step
