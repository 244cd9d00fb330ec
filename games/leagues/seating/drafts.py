"""The draft of a season: its rounds for players numbered from 0, who are named later.

A draft depends only on the numbers of players, seats at a table and rounds. So all seasons of these numbers
are equally good, and the seed of a season only draws which player has which number.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations

from games.leagues.seating.designs import Round, design
from games.leagues.seating.lots import Lots
from games.leagues.seating.lower_bounds import fewest_rounds, least_cost, pairs
from games.leagues.seating.pairing_cost import (
    MISSED,
    REPEATED,
    least_of_loads,
    loads_of,
    meetings_cost,
    weights_of,
)
from games.leagues.seating.seat_order import whole_plan
from games.leagues.seating.table_search import cheapest

LOOKS = 2_000_000  # of a whole draft
SWEEPS = 24  # how often each of its rounds is seated again
ODD_LOOKS = 40  # at most, at each pair and round, where tables differ in size: few players are soon tried
Seats = tuple[tuple[tuple[int, ...], ...], ...]  # rounds of tables of players in seat order


@lru_cache(maxsize=128)
def drafted(players: int, sizes: tuple[int, ...], rounds: int, *, evenly: bool = False) -> Seats:
    """Return a draft of this many rounds.

    If there are enough rounds for everyone to meet, a draft in which they do is preferred to the cheapest.
    `evenly` prefers it only if no pair meets more often in it than any does in the cheapest.
    """
    draft = Draft(players, sizes, rounds)
    if not draft.has_met_all and rounds >= fewest_rounds(players, sizes):
        together = Draft(players, sizes, rounds, missed=MISSED)
        if together.has_met_all and not (evenly and together.most_meetings > draft.most_meetings):
            draft = together
    return whole_plan(draft.rounds, sizes[-1])


class Draft:
    """Rounds, and how often each pair meets in them; `missed` is the cost of a pair that never meets."""

    def __init__(self, players: int, sizes: Sequence[int], rounds: int, *, missed: int = 0) -> None:
        self.players, self.sizes, self.missed = players, sizes, missed
        seats = " and ".join(map(str, dict.fromkeys(sizes)))
        self.lots = Lots(b"", f"draft of {rounds} rounds of {players} in tables of {seats}")
        self.looks = LOOKS // (1 + SWEEPS) // max(1, rounds)
        if sizes[0] > sizes[-1]:
            self.looks = min(self.looks, ODD_LOOKS * players * players)
        self.met = [[0] * players for _player in range(players)]
        self.rounds: list[Round] = []
        self._begin(rounds)
        self._improve()

    @property
    def has_met_all(self) -> bool:
        """Whether everyone meets everyone."""
        return sum(row.count(0) for row in self.met) == self.players  # no one meets themselves

    @property
    def most_meetings(self) -> int:
        """How often the pair meets that meets most often."""
        return max(map(max, self.met))

    def _begin(self, rounds: int) -> None:
        """Start with the rounds of a known design, repeated if everyone meets everyone in it.

        Any further rounds are each seated by those before them.
        """
        known = design(self.players, self.sizes[0]) if self.sizes[0] == self.sizes[-1] else []
        if meets_everybody(known, self.players):
            known = [known[at % len(known)] for at in range(rounds)]
        for at in range(rounds):
            self.rounds.append(known[at] if at < len(known) else self._seat_next())
            self._count(self.rounds[at], 1)

    def _improve(self) -> None:
        """Seat each round again given all others, several times over, while it may help."""
        least = least_cost(self.players, self.sizes, len(self.rounds))
        for _sweep in range(SWEEPS):
            for at, tables in enumerate(self.rounds):
                if self._cost() <= least:
                    return
                self._count(tables, -1)
                self.rounds[at] = self._seat_again([player for table in tables for player in table])
                self._count(self.rounds[at], 1)

    def _seat_next(self) -> Round:
        return self._seat_again(self.lots.shuffled(range(self.players)))

    def _seat_again(self, order: Sequence[int]) -> Round:
        """Seat these players by how often they meet in other rounds, at no more cost than in this order."""
        met = [[self.met[one][other] for other in order] for one in order]
        loads = loads_of(map(sum, met))
        least = least_of_loads(loads, self.sizes)
        weights = weights_of(met, self.missed)
        tables = cheapest(weights, loads, self.sizes, self.lots, looks=self.looks, least=least)
        return [[order[at] for at in table] for table in tables]

    def _count(self, tables: Round, times: int) -> None:
        for table in tables:
            for one, other in permutations(table, 2):
                self.met[one][other] += times

    def _cost(self) -> int:
        """Return the cost of all meetings, of the pairs that never meet, and of uneven tables."""
        unmet = sum(row.count(0) for row in self.met) - self.players
        met = sum(meetings_cost(times) for row in self.met for times in row) + self.missed * unmet
        return REPEATED * met // 2 + sum(pairs(sum(row)) for row in self.met)


def meets_everybody(rounds: Sequence[Round], players: int) -> bool:
    """Return whether all have met, given that no two meet twice."""
    return bool(rounds) and sum(pairs(len(table)) for tables in rounds for table in tables) == pairs(players)
