"""Divide the players of a season among divisions, by their number, levels and claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from games.leagues.scoring.promotion import next_divisions
from games.leagues.seating import LEAST_AT_TABLE


@dataclass(frozen=True, slots=True)
class Candidate:
    """A player to place: their reserved level, and whether they were relegated to it."""

    entry: int
    level: int | None
    is_relegated: bool = False


def division_sizes(
    players: int, *, table: int, largest: int, most: int, kept: Sequence[int] = ()
) -> tuple[int, ...]:
    """Return the number of players in each division.

    There are as few divisions as hold everyone. Each has enough players for a table, or a smaller one.
    None exceeds the largest size while that is possible.
    Sizes differ by one table at most, so that most tables have the season's size. They differ by one player
    where a division would otherwise be too large, or too small for a whole table.
    If more places are reserved at a level (`kept`, the highest first) than fit, divisions fill from the top.
    """
    fewest = min(table, LEAST_AT_TABLE)
    count = max(min(-(-players // largest), most, players // fewest), 1)
    by_tables = _by_tables(players, table, largest, count)
    fits = max(by_tables) <= largest and min(by_tables) >= table
    sizes = by_tables if fits else tuple(_evenly(players, count))
    has_room = all(places <= size for places, size in zip(kept, sizes, strict=False))
    return sizes if has_room else _from_above(players, fewest, largest, count)


def _from_above(players: int, fewest: int, largest: int, count: int) -> tuple[int, ...]:
    """Fill each division from the top, leaving enough players for those below; the last gets the rest."""
    sizes: list[int] = []
    for below in range(count - 1, 0, -1):
        sizes.append(min(largest, players - sum(sizes) - fewest * below))
    return (*sizes, players - sum(sizes))


def _by_tables(players: int, table: int, largest: int, count: int) -> tuple[int, ...]:
    """Give out whole tables, more to higher divisions; spread the rest from below, where there is room."""
    sizes = [tables * table for tables in _evenly(players // table, count)]
    for _player in range(players % table):
        at = min(range(count), key=lambda at: (sizes[at] >= largest, sizes[at] % table, -at))
        sizes[at] += 1
    return tuple(sizes)


def _evenly(things: int, count: int) -> list[int]:
    each, more = divmod(things, count)
    return [each + (at < more) for at in range(count)]


def divided(candidates: Sequence[Candidate], sizes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return the players of each division, the highest first; candidates come in order of their claims.

    Players keep their reserved level as far as there is room. A gap goes to the first of the division below.
    A player relegated to that division moves up only if no one else is left there.
    Last come those without a reserved level.
    """
    kept = [one for one in candidates if one.level is not None]
    levels = [
        [one.entry for one in sorted(kept, key=lambda one: one.is_relegated) if one.level == level]
        for level in range(1, max([one.level or 1 for one in kept], default=1) + 1)
    ]
    return next_divisions(
        levels,
        promoted=0,
        relegated=0,
        staying={one.entry for one in kept},
        waiting=[one.entry for one in candidates if one.level is None],
        sizes=sizes,
    )
