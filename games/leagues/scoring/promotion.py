"""The next season's divisions: promotion, relegation, free places and the waiting list.

The first of a lower division and the last of an upper one change places, as far as they play again. A gap
in a division is filled by the best finisher of the division below, and so on down. Players just relegated
are called back only when no one else is left there. Free places at the bottom go to the waiting list. If a
division has too many players, its last who were neither promoted nor relegated go down. Players who are
`spared` keep their division: the first and the last are counted among the others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass


class BadMove(ValueError):
    """A plan by which no one can be moved."""


@dataclass(frozen=True, slots=True, order=True)
class _Seed:
    """A player who plays again: the division and place where they finished, and the move that follows."""

    division: int
    place: int
    player: int
    step: int = 0  # -1 is promoted, 1 relegated


def require_movable(sizes: Sequence[int], promoted: int, relegated: int) -> None:
    """Raise BadMove if more players would move than a division of these sizes has, or a negative number."""
    if promoted < 0 or relegated < 0:
        raise BadMove("The numbers of promoted and relegated players can't be negative.")
    for division, size in enumerate(sizes):
        leaving = (promoted if division else 0) + (relegated if division < len(sizes) - 1 else 0)
        if leaving > size:
            raise BadMove(f"Division {division + 1} has {size}, of whom {leaving} would move.")


def next_divisions(
    finals: Sequence[Sequence[int]],
    *,
    promoted: int,
    relegated: int,
    staying: Collection[int],
    waiting: Sequence[int],
    sizes: Sequence[int],
    spared: Collection[int] = (),
) -> tuple[tuple[int, ...], ...]:
    """Return the divisions of the next season, the highest first.

    In each, players are in order of last season's results, with newcomers after them.
    `finals` are the final orders of the last season's divisions, the highest first; none before the first
    season.
    `staying` have signed up again and get a place whatever the sizes: the last division takes any rest.
    `waiting` get free places, in their order.
    Raises BadMove if more would move than there are, and for anyone given twice or not known.
    """
    _require_sense(finals, staying, waiting, sizes)
    require_movable(_movable_sizes(finals, spared), promoted, relegated)
    pools = _pools(_seeds(finals, promoted, relegated, set(staying), spared), len(sizes))
    for division, size in enumerate(sizes):
        _send_down(pools, division, size)
        _call_up(pools, division, size)
    seated = {seed.player for pool in pools for seed in pool}
    newcomers = [player for player in waiting if player not in seated]
    free = max(sum(sizes) - len(seated), 0)
    return _with_newcomers(pools, newcomers[:free], sizes)


def _require_sense(
    finals: Sequence[Sequence[int]], staying: Collection[int], waiting: Sequence[int], sizes: Sequence[int]
) -> None:
    finished = [player for final in finals for player in final]
    if len(finished) != len(set(finished)) or len(waiting) != len(set(waiting)):
        raise BadMove("A player is given twice.")
    if set(staying) - set(finished) - set(waiting):
        raise BadMove("A player stays who neither finished nor waits.")
    if not sizes or min(sizes) < 1:
        raise BadMove("A division has room for at least one player.")


def _movable_sizes(finals: Iterable[Sequence[int]], spared: Collection[int]) -> list[int]:
    """Return how many players of each division can be moved by their place."""
    return [sum(player not in spared for player in final) for final in finals]


def _seeds(
    finals: Sequence[Sequence[int]],
    promoted: int,
    relegated: int,
    staying: set[int],
    spared: Collection[int],
) -> Iterable[_Seed]:
    for division, final in enumerate(finals):
        movable = [player for player in final if player not in spared]
        rising = movable[:promoted] if division else ()
        falling = movable[len(movable) - relegated :] if division < len(finals) - 1 else ()
        for place, player in enumerate(final):
            if player in staying:
                yield _Seed(division, place, player, (player in falling) - (player in rising))


def _pools(seeds: Iterable[_Seed], divisions: int) -> list[list[_Seed]]:
    """Put each player into the division their place leads to, or the last if that no longer exists."""
    pools: list[list[_Seed]] = [[] for _ in range(divisions)]
    for seed in seeds:
        pools[min(seed.division + seed.step, divisions - 1)].append(seed)
    return pools


def _send_down(pools: list[list[_Seed]], division: int, size: int) -> None:
    """Send surplus players down: the last who were not moved, then those relegated here, then the others."""
    if division == len(pools) - 1:
        return
    pool = pools[division]

    def yields(seed: _Seed) -> tuple[bool, bool, int, int]:
        return seed.division == division, seed.division < division, seed.division, seed.place

    while len(pool) > size:
        last = max(pool, key=yields)
        pool.remove(last)
        pools[division + 1].append(last)


def _call_up(pools: list[list[_Seed]], division: int, size: int) -> None:
    """Fill gaps with the first of the next lower division that has anyone; relegated players come last."""
    lower = range(division + 1, len(pools))
    while len(pools[division]) < size and any(pools[below] for below in lower):
        below = next(below for below in lower if pools[below])
        first = min(pools[below], key=lambda seed: (seed.division < below, seed))
        pools[below].remove(first)
        pools[division].append(first)


def _with_newcomers(
    pools: Sequence[Iterable[_Seed]], newcomers: Sequence[int], sizes: Sequence[int]
) -> tuple[tuple[int, ...], ...]:
    """Return the divisions in order of their seeds; free places, at the bottom only, fill from above."""
    divisions, left = [], list(newcomers)
    for pool, size in zip(pools, sizes, strict=True):
        players = [seed.player for seed in sorted(pool)]
        free = max(size - len(players), 0)
        divisions.append((*players, *left[:free]))
        left = left[free:]
    return tuple([division for division in divisions if division])


def next_levels(
    finals: Sequence[Sequence[int]],
    *,
    promoted: int,
    share: int = 0,
    staying: Collection[int],
    spared: Collection[int] = (),
) -> dict[int, int]:
    """Return the level in the next season of each player who stays.

    The first and last of neighbouring divisions change places, as many as `moving_between` says.
    Those who are `spared` are neither first nor last: holidays kept them from every table.
    Gaps left by players who don't stay are filled from below.
    """
    finals = [final for final in finals if final]
    sizes = [len(final) for final in finals]
    if not sizes:
        return {}
    moving = most_movable(_movable_sizes(finals, spared), moving_between(sizes, promoted, share))
    divisions = next_divisions(
        finals,
        promoted=moving,
        relegated=moving,
        staying=staying,
        waiting=(),
        sizes=sizes,
        spared=spared,
    )
    return {player: level for level, players in enumerate(divisions, start=1) for player in players}


def moving_between(sizes: Sequence[int], promoted: int, share: int = 0) -> int:
    """Return how many move up from each division of these sizes, and how many down.

    With a `share` in percent, they are that part of the smallest division, rounded down, but at least one.
    They are fewer if a division is too small for that.
    """
    return most_movable(sizes, max(min(sizes) * share // 100, 1) if share else promoted)


def most_movable(sizes: Sequence[int], most: int) -> int:
    """Return how many move if so many should and so many players of each division can be moved."""
    for moving in range(most, 0, -1):
        with suppress(BadMove):
            require_movable(sizes, moving, moving)
            return moving
    return 0
