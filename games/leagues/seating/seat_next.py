"""The next round of a season: which way of seating is asked, and for tables of which size."""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from .planning import plan_rounds
from .seat_round import seat_round
from .values import Seated, past_of

LEAST_AT_TABLE = 3  # but for duels


def seat_next(
    players: Collection[int],
    size: int,
    rounds: int,
    seed: bytes,
    *,
    before: Sequence[Seated],
    scores: Mapping[int, Fraction] | None = None,
) -> Seated:
    """The round after these of a season of so many rounds.

    Too few for a table of this size sit at a smaller one, and too few for any sit out. With scores, tables
    gather those who stand together. Without, the rounds follow one plan as long as the same players play;
    from the first change on each round is seated by those before it.
    """
    least = min(size, LEAST_AT_TABLE)
    size = min(size, len(players))
    if size < least:
        return Seated((), tuple(sorted(players)))
    if scores is None and all(set(seated.players) == set(players) for seated in before):
        return _plan(tuple(sorted(players)), size, rounds, seed)[len(before)]
    return seat_round(players, size, past_of(before), seed, scores=scores)


@lru_cache(maxsize=1)
def _plan(players: tuple[int, ...], size: int, rounds: int, seed: bytes) -> tuple[Seated, ...]:
    """Kept for the next round, which is of the same plan more often than not."""
    return plan_rounds(players, size, rounds, seed)
