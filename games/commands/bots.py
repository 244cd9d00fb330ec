"""What the bots of a game answer. Shows a bot its own seat's observation, and never anything else."""

from __future__ import annotations

from games.bots import choose
from games.models import Game, Seat
from games.rules import Decision, Move, State, observe, pending


def bots_at(game: Game) -> dict[int, str]:
    """The seats for which bots answer, for good or while their players stay away, with their strengths."""
    seats = Seat.objects.filter(table_id=game.table_id).exclude(bot="", stand_in="")
    return {seat.number: seat.played_by for seat in seats}


def next_answer(state: State, bots: dict[int, str]) -> tuple[Decision, Move] | None:
    """The answer of the first bot that is asked; None when no bot is."""
    for decision in pending(state):
        if decision.seat in bots:
            return decision, choose(bots[decision.seat], observe(state, decision.seat))
    return None
