"""The order of seats at tables: first a player who was first Condottiere least often, then seats held least.

`one_round` orders the tables of one round by the rounds before it. `whole_plan` orders those of a whole
season at once. That can always be done evenly: all players hold every seat once before any seat twice.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, permutations

from games.leagues.seating.lots import Lots
from games.leagues.seating.values import PairingHistory

Tables = Sequence[Sequence[int]]  # of one round
Point = tuple[str, int, int]  # a table by its round and number, or a player by number and stretch


def one_round(tables: Tables, past: PairingHistory, lots: Lots) -> tuple[tuple[int, ...], ...]:
    """Return these tables, each in seat order."""
    return tuple(_best_order(lots.shuffled(sorted(table)), past) for table in tables)


def _best_order(table: Sequence[int], past: PairingHistory) -> tuple[int, ...]:
    """Return the best order of a table; among equals, the first in the order the lots give."""
    least = min(map(past.was_first, table))
    orders = (order for order in permutations(table) if past.was_first(order[0]) == least)
    return min(orders, key=lambda order: _held_before(order, past))


def _held_before(order: Sequence[int], past: PairingHistory) -> int:
    """Return the cost of holding seats again: the squares of past counts, without the first Condottiere's."""
    return sum(past.sat_at(player, place) ** 2 for place, player in enumerate(order) if place)


def whole_plan(rounds: Sequence[Tables], least: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return the tables of all rounds in seat order, with everyone's seats shared evenly.

    Tables with more than the `least` seats have last seats, for the players who had the fewest of those.
    A player's other games are cut into stretches of as many games as the smallest table has seats.
    Each stretch meets each seat at most once.
    The seats are colours of the edges that join tables and stretches.
    Such edges need no more colours than the largest number of them at one vertex (König).
    """
    colours = _Colours(least)
    games, last_seats = Counter[int](), Counter[int]()
    ends: dict[tuple[int, int], list[int]] = {}  # by round and table: the players in its last seats
    for at, tables in enumerate(rounds):
        for number, table in enumerate(tables):
            ends[at, number] = sorted(table, key=lambda player: last_seats[player])[: len(table) - least]
            last_seats.update(ends[at, number])
            for player in table:
                if player not in ends[at, number]:
                    colours.join(("table", at, number), ("player", player, games[player] // least))
                    games[player] += 1
    return tuple(
        tuple((*colours.order_of(("table", at, number)), *ends[at, number]) for number in range(len(tables)))
        for at, tables in enumerate(rounds)
    )


class _Colours:
    """Edges between tables and players' stretches, coloured so that no two of one colour meet."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.ends: dict[Point, dict[int, Point]] = {}  # by point and colour: the other end of the edge

    def join(self, table: Point, stretch: Point) -> None:
        """Add an edge.

        If its ends have no free colour in common, take one colour free at each end.
        Swap these two colours along the path that leads away from the stretch.
        """
        here, there = self._free_colours(table), self._free_colours(stretch)
        common = [colour for colour in here if colour in there]
        colour = common[0] if common else here[0]
        if not common:
            self._turn_over(stretch, colour, there[0])
        self._paint(table, stretch, colour)

    def order_of(self, table: Point) -> tuple[int, ...]:
        """Return the players of a table by colour."""
        return tuple(player for _colour, (_kind, player, _at) in sorted(self.ends[table].items()))

    def _free_colours(self, point: Point) -> list[int]:
        used = self.ends.setdefault(point, {})
        return [colour for colour in range(self.count) if colour not in used]

    def _turn_over(self, point: Point, one: int, other: int) -> None:
        """Swap these two colours along the alternating path from this point."""
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
