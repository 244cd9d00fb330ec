"""Seat players who are away at the start together, so that few tables wait for them or begin without them."""

from collections.abc import Collection, Sequence

from games.leagues.seating.table_sizes import LEAST_AT_TABLE
from games.leagues.seating.values import Seated

_BEGINS_WITHOUT = 100  # what it costs that a table begins without one of them; that a table waits costs 1


def gathered(plan: Sequence[Seated], away: Collection[int], size: int, at_once: int) -> tuple[Seated, ...]:
    """Exchange players so that those who are away share tables in the first `at_once` rounds.

    Two players exchange all their seats of the season, so meetings and seats stay as balanced as they were.
    A table with enough other players begins without those who are away; one with fewer waits for them.
    """
    search = _GatheringSearch(plan[:at_once], away, min(size, LEAST_AT_TABLE))
    while search.improve():
        pass
    leaving, coming = sorted(set(away) - search.chosen), sorted(search.chosen - set(away))
    exchanged = dict(zip([*leaving, *coming], [*coming, *leaving], strict=True))
    return tuple([_exchange(seated, exchanged) for seated in plan])


def _exchange(seated: Seated, exchanged: dict[int, int]) -> Seated:
    tables = [tuple([exchanged.get(player, player) for player in table]) for table in seated.tables]
    return Seated(tuple(tables), tuple(sorted([exchanged.get(player, player) for player in seated.byes])))


class _GatheringSearch:
    """A search for the seats, each named by its player, that those who are away should have."""

    def __init__(self, rounds: Sequence[Seated], away: Collection[int], least: int) -> None:
        self.chosen = {player for player in away if any(player in seated.players for seated in rounds)}
        self._least = least
        self._rest = {player for seated in rounds for player in seated.players} - self.chosen
        tables = [table for seated in rounds for table in seated.tables]
        self._sizes = [len(table) for table in tables]
        self._away = [len(self.chosen.intersection(table)) for table in tables]
        self._tables_of: dict[int, list[int]] = {}
        for number, table in enumerate(tables):
            for player in table:
                self._tables_of.setdefault(player, []).append(number)

    def improve(self) -> bool:
        """Exchange the two players that lower the cost most; return whether any do."""
        pairs = [
            (self._change(old, new), old, new) for old in sorted(self.chosen) for new in sorted(self._rest)
        ]
        cost, old, new = min(pairs, default=(0, 0, 0))
        if cost >= 0:
            return False
        self._move(old, new)
        self.chosen, self._rest = self.chosen - {old} | {new}, self._rest - {new} | {old}
        return True

    def _change(self, old: int, new: int) -> int:
        """Return how much the cost rises if `new` is among those who are away in place of `old`."""
        touched = {*self._tables_of.get(old, ()), *self._tables_of.get(new, ())}
        before = sum([self._cost(number) for number in touched])
        self._move(old, new)
        after = sum([self._cost(number) for number in touched])
        self._move(new, old)
        return after - before

    def _move(self, old: int, new: int) -> None:
        for number in self._tables_of.get(old, ()):
            self._away[number] -= 1
        for number in self._tables_of.get(new, ()):
            self._away[number] += 1

    def _cost(self, number: int) -> int:
        away = self._away[number]
        if not away:
            return 0
        begins = self._sizes[number] - away >= self._least
        return 1 + _BEGINS_WITHOUT * away * begins
