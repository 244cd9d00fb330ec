"""Who does not play where numbers do not divide: nobody a second time before everybody once."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from .chance import Lots
from .values import Past


def byes_of_round(
    players: Sequence[int], count: int, past: Past, lots: Lots, scores: Mapping[int, Fraction] | None
) -> tuple[int, ...]:
    """Those with the fewest byes; among these, where scores count, those with the lowest; then a lot."""
    scores = scores or {}
    drawn = lots.shuffled(sorted(players))
    drawn.sort(key=lambda player: (past.had_byes(player), scores.get(player, Fraction(0))))
    return tuple(sorted(drawn[:count]))


def byes_of_plan(order: Sequence[int], count: int, rounds: int) -> tuple[tuple[int, ...], ...]:
    """For each round the next so many of this order, which begins anew at its end."""
    return tuple(
        tuple(sorted(order[(count * at + step) % len(order)] for step in range(count)))
        for at in range(rounds)
    )
