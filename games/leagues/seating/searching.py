"""The search for cheap tables: two players of different tables change places, again and again.

First every change that makes things cheaper, then the cheapest change there is, even if it makes things
dearer; who has just changed stays a few steps, so that the search goes on and does not turn in a circle. It
ends at the cost that cannot be undercut, or after a number of looks (a look weighs one change), never by a
clock: the same seed finds the same tables on a slow machine.
"""

from collections.abc import Sequence

from .chance import Lots
from .costs import Weights

STAYS = range(2, 8)  # for how many steps who has changed his place may stay
_FAR = 1 << 50  # no change costs so much
_LOOKS_TO_BEGIN = 16  # what it takes to look at anybody, beside a look at each other


class Arrangement:
    """Who is at which table, and what each player would cost at each.

    Players are numbered from 0 and sit down in that order. `cost_at[t][p]` is what p costs with those of
    table t (but himself), `own[p]` that of his own table.
    """

    def __init__(self, weights: Weights, size: int) -> None:
        self.weights = weights
        self.doubled = [[2 * cost for cost in row] for row in weights]
        self.table_of = [player // size for player in range(len(weights))]
        self.cost_at: list[list[int]] = [
            [sum(costs) for costs in zip(*weights[start : start + size], strict=True)]
            for start in range(0, len(weights), size)
        ]
        self.own = [self.cost_at[table][player] for player, table in enumerate(self.table_of)]

    @property
    def cost(self) -> int:
        """What all tables cost together: each two are counted with both of them."""
        return sum(self.own) // 2

    def best_change(self, player: int, held: Sequence[int]) -> tuple[int, int]:
        """By how much things get dearer when he changes with the best other, and who that is; `held` is
        added to what a change with each costs."""
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

    def change(self, one: int, other: int) -> None:
        """These two change places."""
        here, there = self.table_of[one], self.table_of[other]
        dearer = [new - old for old, new in zip(self.weights[one], self.weights[other], strict=True)]
        self.cost_at[here] = [cost + more for cost, more in zip(self.cost_at[here], dearer, strict=True)]
        self.cost_at[there] = [cost - more for cost, more in zip(self.cost_at[there], dearer, strict=True)]
        self.table_of[one], self.table_of[other] = there, here
        for player, table in enumerate(self.table_of):
            if table in (here, there):
                self.own[player] = self.cost_at[table][player]


def cheapest(weights: Weights, size: int, lots: Lots, *, looks: int, least: int = 0) -> list[list[int]]:
    """Tables of the players of these weights, no dearer than if they sat down in the order of their numbers;
    no tables cost less than `least`."""
    search = _Search(Arrangement(weights, size), lots, looks, least)
    if len(weights) > size:
        search.descend()
        search.wander()
    tables: list[list[int]] = [[] for _table in range(len(weights) // size)]
    for player, table in enumerate(search.best):
        tables[table].append(player)
    return tables


class _Search:
    """One search: where it stands, the best it saw, and how many looks it has left."""

    def __init__(self, arrangement: Arrangement, lots: Lots, looks: int, least: int) -> None:
        self.now, self.lots, self.looks, self.least = arrangement, lots, looks, least
        self.cost = self.best_cost = arrangement.cost
        self.best = list(arrangement.table_of)
        self.held = [0] * len(self.best)
        self.freed: dict[int, list[int]] = {}  # who may change again at which step

    @property
    def is_over(self) -> bool:
        return self.cost <= self.least or self.looks <= 0

    def descend(self) -> None:
        """Each in turn changes with whom that helps most, until nobody's change helps."""
        changed = True
        while changed and not self.is_over:
            changed = False
            for player, own in enumerate(self.now.own):
                dearer, other = self._best_change(player) if own else (0, player)
                if dearer < 0:
                    self._change(player, other, dearer)
                    changed = True
        self._remember()

    def wander(self) -> None:
        """Takes the best change of all, step by step, and remembers the cheapest tables on the way."""
        step = 0
        while not self.is_over:
            step += 1
            for player in self.freed.pop(step, ()):
                self.held[player] = 0
            dearer, one, other = self._best_of_all()
            if dearer < _FAR // 2:
                self._change(one, other, dearer)
                self._hold(step, one, other)
                self._remember()

    def _best_of_all(self) -> tuple[int, int, int]:
        """The cheapest change of anybody who costs something where he is; a lot among equals."""
        best = (_FAR, 0, 0)
        self.looks -= 1
        for player, own in enumerate(self.now.own):
            if own and not self.held[player]:
                dearer, other = self._best_change(player)
                if dearer < best[0] or (dearer == best[0] and self.lots.below(2)):
                    best = (dearer, player, other)
        return best

    def _best_change(self, player: int) -> tuple[int, int]:
        self.looks -= _LOOKS_TO_BEGIN + len(self.held)
        return self.now.best_change(player, self.held)

    def _change(self, one: int, other: int, dearer: int) -> None:
        self.now.change(one, other)
        self.cost += dearer

    def _hold(self, step: int, *players: int) -> None:
        for player in players:
            self.held[player] = _FAR
            until = step + STAYS[self.lots.below(len(STAYS))]
            self.freed.setdefault(until, []).append(player)

    def _remember(self) -> None:
        """The latest of the cheapest: among equals a plan does well to drift."""
        if self.cost <= self.best_cost:
            self.best_cost, self.best = self.cost, list(self.now.table_of)
