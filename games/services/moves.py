"""Submit a move: lock, check, apply and continue the game, in one transaction.

This is the only way a person's move enters a log.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from accounts import clock
from accounts.models import User
from games.clocks.countdown_changes import give_outages_back
from games.models import Game, LogEntry, Seat
from games.models.locking import locked_game, require_seat, seats_of
from games.orders import Order
from games.rules import Decision, Move, Phase, State, observe, pending
from games.services.continue_game import continue_game
from games.services.orders import store_order
from games.services.progress import Progress


class NotAsked(Exception):
    """Raised if this seat is not, or no longer, asked that decision."""


class AlreadyPlayed(NotAsked):
    """Raised if this seat has already answered that decision with another move, which is kept."""

    def __init__(self, move: str, via: str) -> None:
        super().__init__(move)
        self.move, self.via = move, via


@dataclass(frozen=True)
class Played:
    """The move is in the log. If `again` is true, it was there already for the same decision.

    `game`, the player's `seat` and all `seats` of the table, with their users, are as the move has left them.
    """

    move: str
    next_decision: Decision | None
    game: Game
    seats: list[Seat]
    seat: Seat
    again: bool = False


@transaction.atomic
def submit_move(
    game_id: int,
    player: Seat | User,
    move: Move,
    decision_step: int,
    via: str,
    order: Order | None = None,
    chosen_by: str = "",
) -> Played:
    """Play `move` as the player's answer to the decision of step `decision_step`, in one transaction.

    `player` is the seat, or a signed-in person, whose seat is found under the lock.
    A standing order given with it counts from after the move, unless the battle is then over for the seat.
    `chosen_by` is the bot that chose the move, if one did.

    Repeating the same answer returns the same result and changes nothing. Raises NotAsked, AlreadyPlayed,
    games.rules.IllegalMove, BadOrder, and Refused if someone else has the seat by now or the person has none;
    each leaves everything unchanged.
    """
    locked, now = locked_game(game_id), clock.now()
    give_outages_back(locked, now)
    seats = seats_of(locked)
    seat = require_seat(player, seats)
    number, progress = seat.number, Progress.of(locked)
    decisions = () if locked.is_over else pending(progress.state)  # the table may have ended it (R49)
    if not any(decision.seat == number and decision.decision_step == decision_step for decision in decisions):
        return _earlier_answer(locked, seats, seat, move, decision_step, decisions)
    progress.play(locked, number, move, now, decision_step=decision_step, via=via, chosen_by=chosen_by)
    if order is not None and is_in_battle(progress.state, number):
        store_order(locked, progress.state, number, order)
    continue_game(locked, progress, now, seats)
    return Played(str(move), _decision_of(number, pending(progress.state)), locked, seats, seat)


def is_in_battle(state: State, seat: int) -> bool:
    """Return whether the seat is still in the battle that is being fought."""
    seen = observe(state, seat)
    return seen.phase == Phase.BATTLE and not seen.passed[seat]


def _earlier_answer(
    game: Game,
    seats: list[Seat],
    seat: Seat,
    move: Move,
    decision_step: int,
    decisions: tuple[Decision, ...],
) -> Played:
    entry = LogEntry.objects.filter(game=game, seat=seat.number, decision_step=decision_step).first()
    if entry is None:
        raise NotAsked
    if entry.move != str(move):
        raise AlreadyPlayed(entry.move, entry.via)
    return Played(entry.move, _decision_of(seat.number, decisions), game, seats, seat, again=True)


def _decision_of(seat: int, decisions: tuple[Decision, ...]) -> Decision | None:
    return next((decision for decision in decisions if decision.seat == seat), None)
