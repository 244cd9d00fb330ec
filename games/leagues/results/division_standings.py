"""The standings of divisions, from the stored facts of their tables.

Players are user IDs. A person is in a season at most once; a substitute need not be in it at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import User
from games.leagues.models import Bye, Division, LeagueTable, MissedRound, Registration
from games.leagues.results.season_scoring import scoring_rules_of
from games.leagues.results.stored_facts import facts_of
from games.leagues.scoring.computed_standings import ComputedStandings, standings
from games.leagues.scoring.table_facts import ByeFacts, TableFacts

_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True, eq=False)
class DivisionStandings:
    """A division's standings, and the rows from which they were computed.

    `entries` and `people` are keyed by user ID; `people` includes substitutes.
    `tables` are the collected ones, by pk. `missed` are the rounds that a player missed by holiday, without a
    table in their place.
    """

    standings: ComputedStandings
    entries: Mapping[int, Registration]
    people: dict[int, User]
    tables: Mapping[int, LeagueTable]
    facts: tuple[TableFacts, ...]
    byes: tuple[ByeFacts, ...]
    missed: Mapping[int, tuple[int, ...]]

    @property
    def spared(self) -> set[int]:
        """The players whom holidays kept from every table: they are not relegated."""
        return {row.player for row in self.standings.rows if row.player in self.missed and not row.played}


def division_standings(division: Division) -> DivisionStandings:
    """Return the standings from all stored facts, in a fixed number of queries."""
    return standings_by_division([division])[0]


def standings_by_division(divisions: Sequence[Division]) -> tuple[DivisionStandings, ...]:
    """Return the standings of several divisions of a season in order, with no more queries than for one."""
    entries = _grouped(
        Registration.objects.filter(division__in=divisions).select_related("user").order_by("pk"),
        lambda entry: entry.division_id,
    )
    tables = _grouped(_collected(divisions), lambda row: row.round.division_id)
    byes = _grouped(_byes(divisions), lambda bye: bye.round.division_id)
    missed = _grouped(_missed(divisions), lambda one: one.round.division_id)
    made = [
        _computed(division, entries[division.pk], tables[division.pk], byes[division.pk], missed[division.pk])
        for division in divisions
    ]
    _add_substitutes(made)
    return tuple(made)


def _grouped(rows: Iterable[_Row], division: Callable[[_Row], int | None]) -> dict[int, list[_Row]]:
    groups: dict[int, list[_Row]] = defaultdict(list)
    for row in rows:
        groups[division(row) or 0].append(row)
    return groups


def _computed(
    division: Division,
    entries: Sequence[Registration],
    rows: Sequence[LeagueTable],
    byes: Sequence[Bye],
    missed: Sequence[MissedRound],
) -> DivisionStandings:
    """Return a division's standings; `people` has only its own players so far."""
    players = {entry.user_id: entry for entry in entries}
    facts = tuple([facts_of(row) for row in rows])
    sat_out = tuple([ByeFacts(bye.entry.user_id, bye.round.number) for bye in byes])
    out = [player for player, entry in players.items() if entry.is_out]
    computed = standings(list(players), facts, sat_out, scoring_rules_of(division.season), out)
    people = {player: entry.user for player, entry in players.items()}
    rounds = _grouped(missed, lambda one: one.entry.user_id)
    without = {player: tuple([one.round.number for one in rounds[player]]) for player in rounds}
    return DivisionStandings(
        computed, players, people, {row.pk: row for row in rows}, facts, sat_out, without
    )


def _collected(divisions: Sequence[Division]) -> QuerySet[LeagueTable]:
    rows = LeagueTable.objects.filter(
        round__division__in=divisions, round__is_final=False, facts__isnull=False
    )
    return (
        rows.select_related("round", "table").prefetch_related("awards").order_by("round__number", "number")
    )


def _byes(divisions: Sequence[Division]) -> QuerySet[Bye]:
    """Return the byes of rounds whose tables are all over: before that, a bye does not count."""
    open_tables = LeagueTable.objects.filter(round=OuterRef("round"), collected_at=None)
    rows = Bye.objects.filter(~Exists(open_tables), round__division__in=divisions)
    return rows.select_related("round", "entry").order_by("round__number", "pk")


def _missed(divisions: Sequence[Division]) -> QuerySet[MissedRound]:
    rows = MissedRound.objects.filter(round__division__in=divisions, make_up=None)
    return rows.select_related("round", "entry").order_by("round__number", "pk")


def _add_substitutes(made: Iterable[DivisionStandings]) -> None:
    """Add people who held a seat in a division they are not in."""
    missing = {one: _substitutes_of(one.facts, one.entries) for one in made}
    known = User.objects.in_bulk({player for players in missing.values() for player in players})
    for one, players in missing.items():
        one.people.update({player: known[player] for player in sorted(players) if player in known})


def _substitutes_of(facts: Iterable[TableFacts], entries: Mapping[int, Registration]) -> set[int]:
    held = {holder.player for table in facts for seat in table.seats for holder in seat.holders}
    return {player for player in held if player is not None and player not in entries}
