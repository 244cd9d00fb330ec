"""Who plays in which division next: promotion, relegation, free places, and those who wait.

The first of a lower division and the last of an upper one change places, as far as they play again. Where a
division is short of somebody, whoever finished first in the division below comes up, and so on down; who has
just been relegated is called back only when nobody else is left there. Free places at the bottom go to those
who wait. Where a division has too many, its last who neither came up nor down goes down.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class BadMove(ValueError):
    """A plan by which nobody can be moved."""


class Move(StrEnum):
    """Why somebody plays where he plays, or does not."""

    PROMOTED = "promoted"
    RELEGATED = "relegated"
    STAYS = "stays"
    MOVES_UP = "moves up"  # a place was free
    NEW = "new"
    NO_PLACE = "no place"


@dataclass(frozen=True, slots=True)
class Moved:
    """The next divisions, the highest first: in each the better of last season before the worse, newcomers
    after them; and each one's reason. Who does not play again is in neither."""

    divisions: tuple[tuple[int, ...], ...]
    reasons: Mapping[int, Move]


@dataclass(frozen=True, slots=True, order=True)
class _Seed:
    """Somebody who plays again: in which division and at which place he finished, and where that leads."""

    division: int
    place: int
    player: int
    step: int = 0  # -1 is promoted, 1 relegated


def require_movable(sizes: Sequence[int], promoted: int, relegated: int) -> None:
    """BadMove where more would move than a division of these sizes has, or fewer than nobody."""
    if promoted < 0 or relegated < 0:
        raise BadMove("Nobody can be promoted or relegated less than not at all.")
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
    least: int = 1,
) -> Moved:
    """The divisions of the next season.

    `finals` are the final orders of the last season's divisions, the highest first; none before the first
    season. `staying` have signed up again, and have a place whatever the sizes: the last division takes them
    all. `waiting` get what is free, in their order. A last division of fewer than `least` joins that above.
    Raises BadMove where more would move than there are, and for anybody given twice or from nowhere.
    """
    _require_sense(finals, staying, waiting, sizes)
    require_movable([len(final) for final in finals], promoted, relegated)
    pools = _pools(_seeds(finals, promoted, relegated, set(staying)), len(sizes))
    for division, size in enumerate(sizes):
        _send_down(pools, division, size)
        _call_up(pools, division, size)
    seated = {seed.player for pool in pools for seed in pool}
    newcomers = [player for player in waiting if player not in seated]
    free = max(sum(sizes) - len(seated), 0)
    divisions = _joined(_with_newcomers(pools, newcomers[:free], sizes), least)
    return Moved(tuple(divisions), _reasons(divisions, pools, newcomers, free))


def _require_sense(
    finals: Sequence[Sequence[int]], staying: Collection[int], waiting: Sequence[int], sizes: Sequence[int]
) -> None:
    finished = [player for final in finals for player in final]
    if len(finished) != len(set(finished)) or len(waiting) != len(set(waiting)):
        raise BadMove("Somebody is given twice.")
    if set(staying) - set(finished) - set(waiting):
        raise BadMove("Somebody stays who has not been there.")
    if not sizes or min(sizes) < 1:
        raise BadMove("A division has room for somebody.")


def _seeds(
    finals: Sequence[Sequence[int]], promoted: int, relegated: int, staying: set[int]
) -> Iterable[_Seed]:
    for division, final in enumerate(finals):
        is_last = division == len(finals) - 1
        for place, player in enumerate(final):
            rises = division > 0 and place < promoted
            falls = not is_last and place >= len(final) - relegated
            if player in staying:
                yield _Seed(division, place, player, falls - rises)


def _pools(seeds: Iterable[_Seed], divisions: int) -> list[list[_Seed]]:
    """Everybody in the division where his place leads; what is no longer there is the last."""
    pools: list[list[_Seed]] = [[] for _ in range(divisions)]
    for seed in seeds:
        pools[min(seed.division + seed.step, divisions - 1)].append(seed)
    return pools


def _send_down(pools: list[list[_Seed]], division: int, size: int) -> None:
    """Too many: the last who neither came up nor down go down; then who fell into it, then the others."""
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
    """Too few: the first of the next lower division that has anybody comes up; last, who fell into it."""
    lower = range(division + 1, len(pools))
    while len(pools[division]) < size and any(pools[below] for below in lower):
        below = next(below for below in lower if pools[below])
        first = min(pools[below], key=lambda seed: (seed.division < below, seed))
        pools[below].remove(first)
        pools[division].append(first)


def _with_newcomers(
    pools: Sequence[Iterable[_Seed]], newcomers: Sequence[int], sizes: Sequence[int]
) -> list[tuple[int, ...]]:
    """The divisions in order of their seeds; free places are only at the bottom, and filled from above."""
    divisions, left = [], list(newcomers)
    for pool, size in zip(pools, sizes, strict=True):
        players = [seed.player for seed in sorted(pool)]
        free = max(size - len(players), 0)
        divisions.append((*players, *left[:free]))
        left = left[free:]
    return [division for division in divisions if division]


def _joined(divisions: list[tuple[int, ...]], least: int) -> list[tuple[int, ...]]:
    while len(divisions) > 1 and len(divisions[-1]) < least:
        *upper, above, last = divisions
        divisions = [*upper, (*above, *last)]
    return divisions


def _reasons(
    divisions: Iterable[Iterable[int]], pools: Iterable[Iterable[_Seed]], newcomers: Sequence[int], free: int
) -> dict[int, Move]:
    now = {player: division for division, players in enumerate(divisions) for player in players}
    reasons = {seed.player: _reason(seed, now[seed.player]) for pool in pools for seed in pool}
    reasons |= dict.fromkeys(newcomers[:free], Move.NEW)
    return reasons | dict.fromkeys(newcomers[free:], Move.NO_PLACE)


def _reason(seed: _Seed, division: int) -> Move:
    if division == seed.division:
        return Move.STAYS
    if division > seed.division:
        return Move.RELEGATED
    return Move.PROMOTED if seed.step < 0 else Move.MOVES_UP
