"""The analysis names a blunder: in games by Captains, one decision is replaced by the worst legal one."""

from __future__ import annotations

from random import Random

import pytest

from games.bots import choose
from games.bots.analysis import Cost, choices_of, costliest
from games.bots.strategist import Budget, KnownCards, judge
from games.rules import Move, Options, State, apply, new_game, observe, parse_move, pending, redact, replay

pytestmark = [pytest.mark.once, pytest.mark.long]

GAMES, SEATS = 7, 3
BUDGET = Budget(300)
LEAST = 0.2  # of the chance to win, that the planted decision costs
MOST_MOVES = 12  # of a decision, so that each can be tried

Log = list[tuple[int | None, str]]


def played(seed: str, planted_after: int) -> tuple[Log, int | None]:
    """Return a game by Captains with one blunder, and the blunder's place; None if there was none to make."""
    rng, log = Random(seed), Log()
    state, planted = new_game(Options(), SEATS, 0), None
    known = [KnownCards.none(SEATS) for _seat in range(SEATS)]
    while not state.is_over:
        seat, move = next_move(state, rng)
        if seat is not None and planted is None and len(log) >= planted_after:
            worst = worst_move(state, seat, known[seat], f"{seed}/{len(log)}")
            if worst is not None:
                move, planted = worst, len(log)
        state, events = apply(state, seat, move)
        known = [one.after(redact(events, number)) for number, one in enumerate(known)]
        log.append((seat, str(move)))
    return log, planted


def next_move(state: State, rng: Random) -> tuple[int | None, Move]:
    if state.shuffle_pile:
        pile = list(state.shuffle_pile)
        rng.shuffle(pile)
        return None, parse_move(" ".join(("shuffle", *pile)))
    seat = pending(state)[0].seat
    return seat, choose("captain", observe(state, seat))


def worst_move(state: State, seat: int, known: KnownCards, seed: str) -> Move | None:
    """Return the legal move that costs most; None if none costs enough."""
    seen = observe(state, seat)
    if not 1 < len(seen.legal) <= MOST_MOVES:
        return None
    losses = {move: judge(seen, known, seed, BUDGET, move).loss for move in seen.legal}
    worst = max(seen.legal, key=lambda move: losses[move])
    return worst if losses[worst] >= LEAST else None


def is_named(log: Log, planted: int) -> bool:
    game = replay(Options(), SEATS, 0, log)
    costs = [
        Cost(one.ply, judge(one.seen, one.known, f"again/{one.ply}", BUDGET, one.move).loss)
        for one in choices_of(game, SEATS)
    ]
    return planted in [cost.ply for cost in costliest(costs)]


def test_planted_blunders_are_among_the_three_that_are_named() -> None:
    found = list[bool]()
    for number in range(GAMES):
        log, planted = played(f"blunder {number}", Random(number).randrange(10, 60))
        if planted is not None:
            found.append(is_named(log, planted))
    assert len(found) >= GAMES // 2
    assert sum(found) / len(found) >= 0.8
