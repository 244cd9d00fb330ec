"""What the bots of a game answer. Shows a bot its own seat's observation, and never anything else."""

from __future__ import annotations

from collections.abc import Iterable

from games.bots import choose
from games.models import Seat
from games.rules import Decision, Move, State, observe, pending


def bots_among(seats: Iterable[Seat]) -> dict[int, str]:
    """Those for which bots answer, for good or while their players stay away, with their strengths."""
    return {seat.number: seat.played_by for seat in seats if seat.played_by}


def next_answer(state: State, bots: dict[int, str]) -> tuple[Decision, Move] | None:
    """The answer of the first bot that is asked; None when no bot is."""
    for decision in pending(state):
        if decision.seat in bots:
            return decision, choose(bots[decision.seat], observe(state, decision.seat))
    return None
