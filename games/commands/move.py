"""Takes one answer to one open question: the only way a person's move enters a log."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from accounts import present
from games.commands.record import Progress, write_down
from games.models import Game, LogEntry
from games.replaying import replayed
from games.rules import Decision, Move, pending


@dataclass(frozen=True)
class Played:
    """The move is in the log. `again`: it was there already, from the same question, and nothing was done."""

    move: str
    next_question: Decision | None
    again: bool = False


class NotAsked(Exception):
    """This seat is not asked that question: never was, or no longer."""


class AlreadyPlayed(NotAsked):
    """This seat has answered that question with another move, which stands."""

    def __init__(self, move: str) -> None:
        super().__init__(move)
        self.move = move


@transaction.atomic
def submit_move(game: Game, seat: int, move: Move, asked_at: int, via: str) -> Played:
    """Play `move` as the answer to the question put to `seat` at step `asked_at`, in one transaction.

    The same answer to the same question again gives the same result and changes nothing. Raises NotAsked,
    AlreadyPlayed, or games.rules.IllegalMove; each leaves everything as it was.
    """
    locked = Game.objects.select_for_update(of=("self",)).select_related("table").get(pk=game.pk)
    state = replayed(locked).state
    questions = () if locked.is_over else pending(state)  # the table may have ended it (R49)
    if not any(decision.seat == seat and decision.asked_at == asked_at for decision in questions):
        return _answered_before(locked, seat, move, asked_at, questions)
    now = present.now()
    progress = Progress(state)
    progress.play(locked, seat, move, now, asked_at=asked_at, via=via)
    write_down(locked, progress, now)
    return Played(str(move), _question_of(seat, pending(progress.state)))


def _answered_before(
    game: Game, seat: int, move: Move, asked_at: int, decisions: tuple[Decision, ...]
) -> Played:
    entry = LogEntry.objects.filter(game=game, seat=seat, asked_at=asked_at).first()
    if entry is None:
        raise NotAsked
    if entry.move != str(move):
        raise AlreadyPlayed(entry.move)
    return Played(entry.move, _question_of(seat, decisions), again=True)


def _question_of(seat: int, decisions: tuple[Decision, ...]) -> Decision | None:
    return next((decision for decision in decisions if decision.seat == seat), None)
