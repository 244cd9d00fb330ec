"""Moves that the site makes: shuffles, and the moves of bots and standing orders."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.conf import settings

from games.bots import choose
from games.models import Game, LogEntry, Seat
from games.rules import Decision, Move, Observation, Phase, State, observe, parse_move, pending, shuffled
from games.services.orders import RunningOrders
from games.services.progress import Progress


def bots_among(seats: Iterable[Seat]) -> dict[int, str]:
    """Return the strengths of bots by seat, for bot seats and for absent players."""
    return {seat.number: seat.played_by for seat in seats if seat.played_by}


def play_automatic_moves(
    game: Game, progress: Progress, bots: dict[int, str], orders: RunningOrders, now: datetime
) -> None:
    """Make the shuffles due by the rules, and let bots and standing orders answer.

    Stops when a person must decide, Strategist must think or the game ends. A bot's secret answer leaves no
    more trace than a person's: emails and pages report by step (R17).
    """
    _shuffle_if_owed(game, progress, now)
    while answer := _next_answer(progress.state, bots, orders):
        decision, move, how = answer
        progress.play(game, decision.seat, move, now, decision_step=decision.decision_step, **how)
        _shuffle_if_owed(game, progress, now)


def _next_answer(
    state: State, bots: dict[int, str], orders: RunningOrders
) -> tuple[Decision, Move, dict[str, str]] | None:
    """Return the answer of the first bot or standing order with a pending decision, or None.

    With it comes how the log entry is made.
    """
    for decision in pending(state):
        if decision.seat in bots:
            found = _at_once(bots[decision.seat], decision, observe(state, decision.seat))
            if found is None:
                continue
            move, chosen_by = found
            return decision, move, {"via": LogEntry.Via.BOT, "chosen_by": chosen_by}
        ordered = orders.answer(state, decision.seat)
        if ordered is not None:
            return decision, ordered, {"via": LogEntry.Via.ORDER}
    return None


def _at_once(strength: str, decision: Decision, seen: Observation) -> tuple[Move, str] | None:
    """Return the move of a bot that needs no thought, and which one chose it; None for one to think about.

    A secret decision takes no time: its length would tell who had to make it (R17). Where Strategist is
    switched off, Captain plays for it.
    """
    if strength != Seat.Bot.STRATEGIST:
        return choose(strength, seen), strength
    if len(seen.legal) == 1:
        return seen.legal[0], strength
    if decision.kind == Phase.HAND or not settings.STRATEGIST:
        return choose(Seat.Bot.CAPTAIN, seen), LogEntry.ChosenBy.STAND_IN
    return None


def _shuffle_if_owed(game: Game, progress: Progress, now: datetime) -> None:
    """Shuffle if the rules require it. A draw may need several shuffles in a row (R26)."""
    while progress.state.phase == Phase.SHUFFLE:
        cards = shuffled(game.key, progress.state.shuffles, progress.state.shuffle_pile)
        progress.play(game, None, parse_move("shuffle " + " ".join(cards)), now)
