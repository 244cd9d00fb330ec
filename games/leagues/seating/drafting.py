"""The draft of a season: its rounds for players numbered from 0, who are named later.

A draft depends on three numbers alone: how many players, seats at a table and rounds. So every season of
these numbers is as good as every other, and the seed of a season only draws who is which number.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations

from .byes import byes_of_plan
from .chance import Lots
from .costs import MISSED, meetings_cost, weights_of
from .counting import fewest_rounds, least_cost, pairs
from .designs import Round, design
from .places import whole_plan
from .searching import cheapest

LOOKS = 2_000_000  # of a whole draft
SWEEPS = 24  # how often each of its rounds is seated again

Seats = tuple[tuple[tuple[int, ...], ...], ...]  # rounds of tables of players in the order of their seats


@lru_cache(maxsize=128)
def drafted(players: int, size: int, rounds: int) -> Seats:
    """A draft of so many rounds. Where everybody can meet everybody in so many, a draft in which they do is
    looked for beside the cheapest."""
    draft = Draft(players, size, rounds)
    if not draft.has_met_all and rounds >= fewest_rounds(players, size):
        together = Draft(players, size, rounds, missed=MISSED)
        draft = together if together.has_met_all else draft
    return whole_plan(draft.rounds, size)


class Draft:
    """Rounds, and how often each two meet in all of them; `missed` is what it costs that two never meet."""

    def __init__(self, players: int, size: int, rounds: int, *, missed: int = 0) -> None:
        self.players, self.size, self.missed = players, size, missed
        self.lots = Lots(b"", f"draft of {rounds} rounds of {players} in tables of {size}")
        self.looks = LOOKS // (1 + SWEEPS) // max(1, rounds)
        self.met = [[0] * players for _player in range(players)]
        self.rounds: list[Round] = []
        self._begin(rounds)
        self._improve()

    @property
    def has_met_all(self) -> bool:
        """Everybody meets everybody."""
        return sum(row.count(0) for row in self.met) == self.players  # nobody meets himself

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

    def _improve(self) -> None:
        """Seats each round again in the light of all others, a few times over, while it may help."""
        least = least_cost(map(sum, self.met), self.size, len(self.rounds))
        for _sweep in range(SWEEPS):
            for at, tables in enumerate(self.rounds):
                if self._cost() <= least:
                    return
                self._count(tables, -1)
                self.rounds[at] = self._seated([player for table in tables for player in table])
                self._count(self.rounds[at], 1)

    def _next(self, byes: Sequence[int]) -> Round:
        return self._seated(self.lots.shuffled(sorted(set(range(self.players)).difference(byes))))

    def _seated(self, order: Sequence[int]) -> Round:
        """A round of these, no dearer than this order, by how often they meet in the other rounds."""
        met = [[self.met[one][other] for other in order] for one in order]
        tables = cheapest(weights_of(met, self.missed), self.size, self.lots, looks=self.looks)
        return [[order[at] for at in table] for table in tables]

    def _count(self, tables: Round, times: int) -> None:
        for table in tables:
            for one, other in permutations(table, 2):
                self.met[one][other] += times

    def _cost(self) -> int:
        """What all meetings of the season cost, and those that there are not."""
        unmet = sum(row.count(0) for row in self.met) - self.players
        return (sum(meetings_cost(times) for row in self.met for times in row) + self.missed * unmet) // 2


def meets_everybody(rounds: Sequence[Round], players: int) -> bool:
    """If no two meet twice: whether all have met."""
    return bool(rounds) and sum(pairs(len(table)) for tables in rounds for table in tables) == pairs(players)
