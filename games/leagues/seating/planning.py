"""A season seated ahead: every round at once, so that late rounds need not mend what early ones spoilt."""

from collections.abc import Collection, Sequence
from itertools import permutations

from . import places
from .byes import byes_of_plan
from .chance import Lots
from .costs import meetings_cost, weights_of
from .designs import Round, design, renamed
from .searching import cheapest
from .values import BadSeating, Seated, require_seatable

LOOKS = 2_000_000  # of a whole plan
SWEEPS = 24  # how often each of its rounds is seated again


def plan_rounds(players: Collection[int], size: int, rounds: int, seed: bytes) -> tuple[Seated, ...]:
    """So many rounds of tables of this size: known designs where there are, else found by search.

    Costs are those of `costs` (nobody has met before, nobody has a score), summed over the season. Seats are
    shared evenly: nobody has one a second time, the first Condottiere's included, before he has had every
    other once. Byes go round. The order in which players are given does not matter. BadSeating where nobody
    can be seated.
    """
    require_seatable(players, size)
    if rounds < 0:
        raise BadSeating(f"{rounds} rounds cannot be planned.")
    lots = Lots(seed, f"plan of {rounds} rounds")
    drawn = lots.shuffled(sorted(players))
    plan = _Plan(len(drawn), size, rounds, lots)
    plan.improve()
    tables = renamed(plan.rounds, drawn)
    everybody = set(drawn)
    return tuple(
        Seated(seated, tuple(sorted(everybody.difference(*seated))))
        for seated in places.whole_plan(tables, size)
    )


def rounds_for_everybody(players: int, size: int) -> int:
    """In how many rounds everybody could meet everybody: fewer are never enough.

    Each needs as many games as it takes to meet all others, and a round has only so many seats. Six and
    twelve in threes need one round more than is counted so, for no plan is that perfect.
    """
    require_seatable(range(players), size)
    games = -(-(players - 1) // (size - 1))
    seats = players - players % size
    return -(-players * games // seats) + ((players, size) in {(6, 3), (12, 3)})


class _Plan:
    """Rounds of players numbered from 0, and how often each two meet in all of them."""

    def __init__(self, players: int, size: int, rounds: int, lots: Lots) -> None:
        self.players, self.size, self.lots = players, size, lots
        self.met = [[0] * players for _player in range(players)]
        self.rounds: list[Round] = []
        self.looks = LOOKS // (1 + SWEEPS) // max(1, rounds)
        self._begin(rounds)

    def improve(self) -> None:
        """Seats each round again in the light of all others, a few times over, while it may help."""
        least = self._least_cost()
        for _sweep in range(SWEEPS):
            for at, tables in enumerate(self.rounds):
                if self._cost() <= least:
                    return
                self._count(tables, -1)
                self.rounds[at] = self._searched([player for table in tables for player in table])
                self._count(self.rounds[at], 1)

    def _begin(self, rounds: int) -> None:
        """The rounds of a known design, again and again if everybody meets everybody in it; then, or
        without one, each by what was before it."""
        known = design(self.players, self.size)
        if meets_everybody(known, self.players):
            known = [known[at % len(known)] for at in range(rounds)]
        byes = byes_of_plan(range(self.players), self.players % self.size, rounds)
        for at in range(rounds):
            self.rounds.append(known[at] if at < len(known) else self._next(byes[at]))
            self._count(self.rounds[at], 1)

    def _next(self, byes: Sequence[int]) -> Round:
        return self._searched(self.lots.shuffled(sorted(set(range(self.players)).difference(byes))))

    def _searched(self, order: Sequence[int]) -> Round:
        """A round of these, no dearer than this order, by how often they meet in the other rounds."""
        weights = weights_of([[self.met[one][other] for other in order] for one in order])
        tables = cheapest(weights, self.size, self.lots, looks=self.looks)
        return [[order[at] for at in table] for table in tables]

    def _count(self, tables: Round, times: int) -> None:
        for table in tables:
            for one, other in permutations(table, 2):
                self.met[one][other] += times

    def _cost(self) -> int:
        """What all meetings of the season cost."""
        return sum(meetings_cost(times) for row in self.met for times in row) // 2

    def _least_cost(self) -> int:
        """What no plan undercuts: everybody's opponents spread evenly over all others."""
        return sum(map(self._least_cost_of, self.met)) // 2

    def _least_cost_of(self, row: Sequence[int]) -> int:
        often, more = divmod(sum(row), self.players - 1)
        return more * meetings_cost(often + 1) + (self.players - 1 - more) * meetings_cost(often)


def meets_everybody(rounds: Sequence[Round], players: int) -> bool:
    """If no two meet twice: whether all have met."""
    pairs = sum(len(table) * (len(table) - 1) for tables in rounds for table in tables)
    return bool(rounds) and pairs == players * (players - 1)
