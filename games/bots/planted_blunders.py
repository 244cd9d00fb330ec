"""How often an analysis names a blunder that was planted in a game. Not part of choosing moves.

In a game by Captains, one decision is replaced by the worst legal one, as Strategist judges it.
"""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from games.rules import Move, Options, State, apply, new_game, observe, parse_move, pending, redact, replay

from . import choose
from .analysis import Cost, choices_of, costliest
from .duel import wilson
from .strategist import Budget, KnownCards, judge

LEAST_COST = 0.2  # of the chance to win
MOST_MOVES = 12  # of a decision, so that each can be tried
FIRST, LAST = 10, 60  # so many entries come before the blunder at least, and at most if one can be made there

Log = list[tuple[int | None, str]]


class PlantedGame(NamedTuple):
    """A game by Captains with one blunder, and the entry of that."""

    log: Log
    planted: int | None  # None: no decision was bad enough


def described(games: int, seats: int, seed: str, budget: Budget) -> Iterator[str]:
    """Yield a line for each game, then how many of the planted blunders were named."""
    named = list[bool]()
    for number in range(games):
        game = planted_game(seats, f"{seed}/{number}", budget)
        if game.planted is None:
            yield f"game {number}: no move was bad enough"
            continue
        named.append(is_named(game, seats, budget))
        yield f"game {number}: entry {game.planted + 1} {'named' if named[-1] else 'not named'}"
    if named:
        low, high = wilson(sum(named), len(named))
        share = sum(named) / len(named)
        yield f"named {sum(named)} of {len(named)}: {share:.1%} ({low:.1%} to {high:.1%})"


def planted_game(seats: int, seed: str, budget: Budget) -> PlantedGame:
    """Play a game by Captains, with one blunder once it's late enough."""
    rng, log = Random(seed), Log()  # noqa: S311 - repeatable
    begins = rng.randrange(FIRST, LAST)
    state, planted = new_game(Options(), seats, 0), None
    known = [KnownCards.none(seats) for _seat in range(seats)]
    while not state.is_over:
        seat, move = _captains(state, rng)
        if seat is not None and planted is None and len(log) >= begins:
            worst = _worst(state, seat, known[seat], f"{seed}/{len(log)}", budget)
            if worst is not None:
                move, planted = worst, len(log)
        state, events = apply(state, seat, move)
        known = [one.after(redact(events, number)) for number, one in enumerate(known)]
        log.append((seat, str(move)))
    return PlantedGame(log, planted)


def is_named(game: PlantedGame, seats: int, budget: Budget) -> bool:
    """Return whether the analysis of the game names the blunder, with other luck than found it."""
    costs = [
        Cost(one.ply, judge(one.seen, one.known, f"again/{one.ply}", budget, one.move).loss)
        for one in choices_of(replay(Options(), seats, 0, game.log), seats)
    ]
    return game.planted in [cost.ply for cost in costliest(costs)]


def _captains(state: State, rng: Random) -> tuple[int | None, Move]:
    if state.shuffle_pile:
        pile = list(state.shuffle_pile)
        rng.shuffle(pile)
        return None, parse_move(" ".join(("shuffle", *pile)))
    seat = pending(state)[0].seat
    return seat, choose("captain", observe(state, seat))


def _worst(state: State, seat: int, known: KnownCards, seed: str, budget: Budget) -> Move | None:
    """Return the legal move that costs most; None if none costs enough."""
    seen = observe(state, seat)
    if not 1 < len(seen.legal) <= MOST_MOVES:
        return None
    losses = {move: judge(seen, known, seed, budget, move).loss for move in seen.legal}
    worst = max(seen.legal, key=lambda move: losses[move])
    return worst if losses[worst] >= LEAST_COST else None
