"""Search for the cheapest tables of one round."""

from collections.abc import Sequence
from itertools import accumulate

from games.leagues.seating.lots import Lots
from games.leagues.seating.pairing_cost import Weights

STAYS = range(2, 8)  # for how many steps a player who was swapped may not be swapped again
_FAR = 1 << 50  # more than any swap costs
_LOOKS_TO_BEGIN = 16  # the fixed cost of examining one player, besides one look at each other player


class Arrangement:
    """The assignment of players to tables, and what each player would cost at each.

    Players are numbered from 0 and are seated in that order at first.
    `cost_at[t][p]` is the cost of p with the players of table t (except p), and of its seats to p's load.
    `own[p]` is the cost at p's own table.
    """

    def __init__(self, weights: Weights, sizes: Sequence[int], loads: Sequence[int]) -> None:
        self.weights = weights
        self.doubled = [[2 * cost for cost in row] for row in weights]
        self.table_of = [table for table, size in enumerate(sizes) for _seat in range(size)]
        self.cost_at: list[list[int]] = [
            [sum(costs) for costs in zip(*weights[end - size : end], strict=True)]
            for size, end in zip(sizes, accumulate(sizes), strict=True)
        ]
        pairs_twice = sum(self.cost_at[table][player] for player, table in enumerate(self.table_of))
        for costs, size in zip(self.cost_at, sizes, strict=True):
            costs[:] = [cost + load * (size - min(sizes)) for cost, load in zip(costs, loads, strict=True)]
        self.own = [self.cost_at[table][player] for player, table in enumerate(self.table_of)]
        self.cost = sum(self.own) - pairs_twice // 2  # of these tables at first

    def best_swap(self, player: int, held: Sequence[int]) -> tuple[int, int]:
        """Return the cost change of the player's best swap, and the other player in it.

        `held` is added to the cost of a swap with each player.
        """
        here = self.table_of[player]
        there = [costs[player] for costs in self.cost_at]
        there[here] = _FAR
        changes = [
            there[table] + back - own - both + hold
            for table, back, own, both, hold in zip(
                self.table_of, self.cost_at[here], self.own, self.doubled[player], held, strict=True
            )
        ]
        least = min(changes)
        return least - self.own[player], changes.index(least)

    def swap(self, one: int, other: int) -> None:
        """Swap the tables of these two players."""
        here, there = self.table_of[one], self.table_of[other]
        dearer = [new - old for old, new in zip(self.weights[one], self.weights[other], strict=True)]
        self.cost_at[here] = [cost + more for cost, more in zip(self.cost_at[here], dearer, strict=True)]
        self.cost_at[there] = [cost - more for cost, more in zip(self.cost_at[there], dearer, strict=True)]
        self.table_of[one], self.table_of[other] = there, here
        for player, table in enumerate(self.table_of):
            if table in (here, there):
                self.own[player] = self.cost_at[table][player]


def cheapest(
    weights: Weights, loads: Sequence[int], sizes: Sequence[int], lots: Lots, *, looks: int, least: int
) -> list[list[int]]:
    """Return tables of these players, no dearer than seating them in the order of their numbers.

    No tables cost less than `least`.
    """
    search = _TableSearch(Arrangement(weights, sizes, loads), lots, looks, least)
    if len(sizes) > 1:
        search.descend()
        search.wander()
    tables: list[list[int]] = [[] for _size in sizes]
    for player, table in enumerate(search.best):
        tables[table].append(player)
    return tables


class _TableSearch:
    """A search: its current position, the best one seen, and the number of looks left."""

    def __init__(self, arrangement: Arrangement, lots: Lots, looks: int, least: int) -> None:
        self.now, self.lots, self.looks, self.least = arrangement, lots, looks, least
        self.cost = self.best_cost = arrangement.cost
        self.best = list(arrangement.table_of)
        self.held = [0] * len(self.best)
        self.freed: dict[int, list[int]] = {}  # by step: the players who may be swapped again

    @property
    def is_over(self) -> bool:
        return self.cost <= self.least or self.looks <= 0

    def descend(self) -> None:
        """Give each player in turn their best swap, until no swap helps."""
        changed = True
        while changed and not self.is_over:
            changed = False
            for player, own in enumerate(self.now.own):
                dearer, other = self._best_swap(player) if own else (0, player)
                if dearer < 0:
                    self._swap(player, other, dearer)
                    changed = True
        self._remember()

    def wander(self) -> None:
        """Take the best swap of all, step by step, remembering the cheapest tables (tabu search)."""
        step = 0
        while not self.is_over:
            step += 1
            for player in self.freed.pop(step, ()):
                self.held[player] = 0
            dearer, one, other = self._best_of_all()
            if dearer < _FAR // 2:
                self._swap(one, other, dearer)
                self._hold(step, one, other)
                self._remember()

    def _best_of_all(self) -> tuple[int, int, int]:
        """Return the cheapest swap of any player with a cost at their table; equals are decided by lot."""
        best = (_FAR, 0, 0)
        self.looks -= 1
        for player, own in enumerate(self.now.own):
            if own and not self.held[player]:
                dearer, other = self._best_swap(player)
                if dearer < best[0] or (dearer == best[0] and self.lots.below(2)):
                    best = (dearer, player, other)
        return best

    def _best_swap(self, player: int) -> tuple[int, int]:
        self.looks -= _LOOKS_TO_BEGIN + len(self.held)
        return self.now.best_swap(player, self.held)

    def _swap(self, one: int, other: int, dearer: int) -> None:
        self.now.swap(one, other)
        self.cost += dearer

    def _hold(self, step: int, *players: int) -> None:
        for player in players:
            self.held[player] = _FAR
            until = step + STAYS[self.lots.below(len(STAYS))]
            self.freed.setdefault(until, []).append(player)

    def _remember(self) -> None:
        """Remember the latest of the cheapest positions: drifting among equals improves a plan."""
        if self.cost <= self.best_cost:
            self.best_cost, self.best = self.cost, list(self.now.table_of)
