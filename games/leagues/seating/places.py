"""Who sits where at a table: first Condottiere who was that least often, then seats held least often.

`one_round` orders the tables of one round by what was before. `whole_plan` orders those of a whole season at
once, which can always be done evenly: nobody holds a seat a second time before he has held every other once.
"""

from collections.abc import Sequence
from itertools import pairwise, permutations

from .chance import Lots
from .values import Past

Tables = Sequence[Sequence[int]]  # of one round


def one_round(tables: Tables, past: Past, lots: Lots) -> tuple[tuple[int, ...], ...]:
    """These tables, each in the order of its seats."""
    return tuple(_seated(lots.shuffled(sorted(table)), past) for table in tables)


def _seated(table: Sequence[int], past: Past) -> tuple[int, ...]:
    """The best order of a table; among equals the one that its lots come to first."""
    least = min(map(past.was_first, table))
    orders = (order for order in permutations(table) if past.was_first(order[0]) == least)
    return min(orders, key=lambda order: _held_before(order, past))


def _held_before(order: Sequence[int], past: Past) -> int:
    """What it costs that each holds this seat again, the first Condottiere's aside: the square of how often
    he has held it."""
    return sum(past.sat_at(player, place) ** 2 for place, player in enumerate(order) if place)


def whole_plan(rounds: Sequence[Tables], size: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """The tables of all rounds, each in the order of its seats, everybody's seats shared evenly.

    A player's games are cut into stretches of as many games as a table has seats. Each stretch meets each
    seat at most once: the seats are colours of the lines that join tables and stretches, and lines that meet
    need no more colours than meet at one point (König).
    """
    colours = _Colours(size)
    games: dict[int, int] = {}
    for at, tables in enumerate(rounds):
        for number, table in enumerate(tables):
            for player in table:
                stretch = games.get(player, 0) // size
                games[player] = games.get(player, 0) + 1
                colours.join(("table", at, number), ("player", player, stretch))
    return tuple(
        tuple(colours.order_of(("table", at, number)) for number in range(len(tables)))
        for at, tables in enumerate(rounds)
    )


Point = tuple[str, int, int]  # a table by its round and number, or a player by his number and the stretch


class _Colours:
    """Lines between tables and players' stretches, coloured so that no two of one colour meet."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.ends: dict[Point, dict[int, Point]] = {}  # by point and colour where the line leads

    def join(self, table: Point, stretch: Point) -> None:
        """A line more. Where the two have no colour left in common, the lines of two colours, one left
        here and one left there, are turned over on the way that leads away from the stretch."""
        here, there = self._free(table), self._free(stretch)
        common = [colour for colour in here if colour in there]
        colour = common[0] if common else here[0]
        if not common:
            self._turn_over(stretch, colour, there[0])
        self._paint(table, stretch, colour)

    def order_of(self, table: Point) -> tuple[int, ...]:
        """The players of a table by colour."""
        return tuple(player for _colour, (_kind, player, _at) in sorted(self.ends[table].items()))

    def _free(self, point: Point) -> list[int]:
        used = self.ends.setdefault(point, {})
        return [colour for colour in range(self.count) if colour not in used]

    def _turn_over(self, point: Point, one: int, other: int) -> None:
        """From this point on, along lines of these two colours in turn, each gets the other colour."""
        way = [point]
        while (following := self.ends[way[-1]].get((one, other)[len(way) % 2 == 0])) is not None:
            way.append(following)
        lines = list(pairwise(way))
        for at, (here, there) in enumerate(lines):
            colour = (one, other)[at % 2]
            del self.ends[here][colour], self.ends[there][colour]
        for at, (here, there) in enumerate(lines):
            self._paint(here, there, (other, one)[at % 2])

    def _paint(self, here: Point, there: Point, colour: int) -> None:
        self.ends[here][colour], self.ends[there][colour] = there, here
