"""Into which divisions people go when a season is drawn, by numbers alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from games.leagues.scoring import next_divisions

LEAST_AT_TABLE = 3  # but for duels


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody who plays: the level kept for him, and whether he was sent down to it."""

    entry: int
    level: int | None
    is_relegated: bool = False


def division_sizes(
    players: int, *, table: int, largest: int, most: int, kept: Sequence[int] = ()
) -> tuple[int, ...]:
    """How many play in each division: as few divisions as hold everybody, each with enough for a table, if
    need be a smaller one; none is larger than it may be while that is possible.

    They differ by a table at most, so that few sit out; by one player where a division would else be larger
    than it may be, or too small for a whole table. But where more have a place kept at a level (`kept`, the
    highest first) than would find room there, divisions are filled from above.
    """
    least = min(table, LEAST_AT_TABLE)
    count = max(min(-(-players // largest), most, players // least), 1)
    by_tables = _by_tables(players, table, largest, count)
    fits = max(by_tables) <= largest and min(by_tables) >= table
    sizes = by_tables if fits else tuple(_shared(players, count))
    has_room = all(places <= size for places, size in zip(kept, sizes, strict=False))
    return sizes if has_room else _from_above(players, least, largest, count)


def _from_above(players: int, least: int, largest: int, count: int) -> tuple[int, ...]:
    """Each as large as it may be, as long as enough are left for those below; the last has the rest."""
    sizes: list[int] = []
    for below in range(count - 1, 0, -1):
        sizes.append(min(largest, players - sum(sizes) - least * below))
    return (*sizes, players - sum(sizes))


def _by_tables(players: int, table: int, largest: int, count: int) -> tuple[int, ...]:
    """Whole tables, more of them above; who is left over goes below where there is room, one to each."""
    sizes = [tables * table for tables in _shared(players // table, count)]
    for _player in range(players % table):
        at = min(range(count), key=lambda at: (sizes[at] >= largest, sizes[at] % table, -at))
        sizes[at] += 1
    return tuple(sizes)


def _shared(things: int, count: int) -> list[int]:
    each, more = divmod(things, count)
    return [each + (at < more) for at in range(count)]


def divided(candidates: Sequence[Candidate], sizes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Who plays in which division, the highest first; candidates are given in the order of their claims.

    Everybody is at the level kept for him as far as there is room: a gap is filled by the first of the
    division below, by somebody sent down to it only when nobody else is left there, and at last by those for
    whom no level is kept.
    """
    kept = [one for one in candidates if one.level is not None]
    levels = [
        [one.entry for one in sorted(kept, key=lambda one: one.is_relegated) if one.level == level]
        for level in range(1, max([one.level or 1 for one in kept], default=1) + 1)
    ]
    moved = next_divisions(
        levels,
        promoted=0,
        relegated=0,
        staying={one.entry for one in kept},
        waiting=[one.entry for one in candidates if one.level is None],
        sizes=sizes,
    )
    return moved.divisions
