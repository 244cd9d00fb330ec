"""When the tables of simulated seasons began and ended, and when the k-th table of each player ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from games.leagues.models import Registration, Season, SeatAssignment
from games.leagues.scoring.table_facts import TableEnding
from tests.simulation.games.report import SECONDS_A_DAY, percentile
from tests.simulation.leagues.checks import tables_of


@dataclass
class Calendar:
    """The days of one season or several, counted from the start of each."""

    seasons: int = 1
    begins: list[float] = field(default_factory=list)  # of tables
    ends: list[float] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)  # of tables that no one had to end
    over: list[float] = field(default_factory=list)  # of seasons: their last table's end
    by_table: dict[int, list[float]] = field(default_factory=dict)  # each player's k-th table's end

    def add(self, other: Calendar) -> None:
        """Add another season's days to these."""
        self.seasons += other.seasons
        for name in ("begins", "ends", "lengths", "over"):
            getattr(self, name).extend(getattr(other, name))
        for number, days in other.by_table.items():
            self.by_table.setdefault(number, []).extend(days)

    def printed(self) -> Iterator[str]:
        """Yield the calendar, a line each."""
        yield f"tables begin {_days(self.begins)}"
        yield f"tables end {_days(self.ends)}"
        yield f"days of a table that no one had to end: {_days(self.lengths)}"
        yield f"last table of a season over after: {_days(self.over)}"
        yield "weeks from the start to the end of a player's own tables, of those who stayed:"
        for number, days in sorted(self.by_table.items()):
            half, ninety = percentile(days, 0.5) / 7, percentile(days, 0.9) / 7
            yield f"  table {number}: median {half:.1f}, 90th percentile {ninety:.1f} ({len(days)} players)"


def calendar_of(season: Season) -> Calendar:
    """Return the days of a season that is over."""
    found = Calendar()
    for table in tables_of(season):
        if table.begins_at is None or table.collected_at is None:
            continue
        begun, ended = (_since(season, at) for at in (table.begins_at, table.collected_at))
        found.begins.append(begun)
        found.ends.append(ended)
        if table.facts and table.facts["how"] in (TableEnding.RULES, TableEnding.AGREEMENT):
            found.lengths.append(ended - begun)
    found.over = [max(found.ends, default=0.0)]
    for entry in season.entries.filter(state=Registration.State.PLAYING):
        seated = SeatAssignment.objects.filter(entry=entry, table__collected_at__isnull=False)
        ends = sorted(_since(season, at) for at in seated.values_list("table__collected_at", flat=True))
        for number, day in enumerate(ends, start=1):
            found.by_table.setdefault(number, []).append(day)
    return found


def _since(season: Season, moment: datetime) -> float:
    return (moment - season.begins_at).total_seconds() / SECONDS_A_DAY


def _days(days: list[float]) -> str:
    first, half, ninety, last = (percentile(days, share) for share in (0.0, 0.5, 0.9, 1.0))
    return f"first {first:.1f}, median {half:.1f}, 90th percentile {ninety:.1f}, last {last:.1f} days"
