"""The report of a simulated season: calendar, tables, standings, who left, and broken promises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from accounts.mail.models import OutgoingEmail
from games.leagues.models import (
    AuditEvent,
    Bye,
    Division,
    LeagueTable,
    Registration,
    Season,
    SeatAssignment,
    SubstituteOffer,
)
from games.leagues.results.division_standings import division_standings
from games.models import LogEntry, TimeEvent
from tests.simulation.games import people
from tests.simulation.leagues import checks, habits
from tests.simulation.leagues.calendar import Calendar
from tests.simulation.leagues.habits import Plan

MOST_PROBLEMS = 30
Lines = Iterator[str]


def printed(plan: Plan, season: Season, calendar: Calendar, problems: Sequence[str]) -> Lines:
    """Yield the report of a season that is over."""
    yield f"Season: {plan}"
    yield from _titled("Calendar", [*_dates(season), *calendar.printed()])
    for division in season.divisions.select_related("season__league").order_by("level"):
        yield from _titled(f"Division {division.letter}", _standing(division))
    yield from _titled("Tables", _tables(season))
    yield from _titled("People", _people(season))
    yield from _titled("Checks", [f"FAILED: {one}" for one in problems[:MOST_PROBLEMS]] or checks.PROMISES)


def assumed(plan: Plan) -> Lines:
    """Yield what is assumed of all seasons of this pace."""
    yield from _titled("Assumed", [*people.assumptions(plan.pace, plan.levers), *habits.assumptions()])


def _titled(title: str, lines: Sequence[str] | Lines) -> Lines:
    yield title
    yield from (f"  {line}" for line in lines)


def _dates(season: Season) -> Lines:
    ends = [table.collected_at for table in checks.tables_of(season) if table.collected_at]
    if ends:
        yield f"from {season.begins_at:%d %B %Y} to {max(ends):%d %B %Y}"
    most = Counter(checks.at_once(season).values())
    yield "tables at once, at most: " + ", ".join(
        f"{n} by {count} players" for n, count in sorted(most.items())
    )


def _standing(division: Division) -> Lines:
    yield "place  points  tables  wins  regions  byes  player"
    computed = division_standings(division)
    moves = dict(division.standings.values_list("entry", "next_level"))
    for row in computed.standings.rows:
        entry = computed.entries[row.player]
        level = moves.get(entry.pk)
        to = f" → {Division(level=level).letter}" if level not in (None, division.level) else ""
        state = f" ({entry.state})" if row.is_out else ""
        yield (
            f"{row.place:>5}  {float(row.points):>6.2f}  {row.played:>6}  {float(row.wins):>4.1f}  "
            f"{float(row.regions):>7.1f}  {row.byes:>4}  {entry.user}{state}{to}"
        )
    for one in computed.standings.substitute_results:
        yield f"{computed.people[one.player]} helped in round {one.round}: {float(one.points):.2f} points"


def _tables(season: Season) -> Lines:
    tables = checks.tables_of(season)
    drawn = [round_.draw for division in season.divisions.all() for round_ in division.rounds.all()]
    sizes = Counter(table.table.size for table in tables if table.table)
    planned = sum(len(draw["tables"]) for draw in drawn if draw)
    yield f"{planned} drawn, {len(tables)} begun; seats: {_counts(sizes)}"
    yield f"how they ended: {_counts(Counter(table.facts['how'] for table in tables if table.facts))}"
    for table in tables:
        if table.is_extended or table.reminded_at:
            yield _late(table)
    for bye in Bye.objects.filter(round__division__season=season).select_related("round", "entry__user"):
        yield f"bye in round {bye.round.number}: {bye.entry.user}"
    yield f"repeated meetings: {_repeated(season)}"


def _late(table: LeagueTable) -> str:
    extended = ", given more days" if table.is_extended else ""
    how = table.facts["how"] if table.facts else "not over"
    days = (table.collected_at - table.begins_at).days if table.collected_at and table.begins_at else 0
    where = f"{table.round.division.letter}, round {table.round.number}, table {table.number}"
    return f"late: {where}: reminded{extended}; over after {days} days by {how}"


def _repeated(season: Season) -> int:
    rosters: dict[int, list[int]] = {}
    seated = SeatAssignment.objects.filter(table__round__division__season=season)
    for table, entry in seated.values_list("table", "entry"):
        rosters.setdefault(table, []).append(entry)
    met = Counter(pair for roster in rosters.values() for pair in combinations(sorted(roster), 2))
    return sum(times - 1 for times in met.values())


def _people(season: Season) -> Lines:
    yield f"in the season: {_counts(Counter(season.entries.values_list('state', flat=True)))}"
    filled = season.entries.filter(in_place_of__isnull=False).select_related("user", "in_place_of__user")
    yield from (f"from round {one.from_round}: {one.user} for {_left(one)}" for one in filled)
    yield f"seats left: {_counts(checks.seats_left(season))}"
    offers = SubstituteOffer.objects.filter(substitute__season=season)
    yield f"offers to substitutes: {_counts(Counter(offers.values_list('answer', flat=True)))}"
    yield f"what clocks did: {_counts(Counter(TimeEvent.objects.values_list('kind', flat=True)))}"
    moves = LogEntry.objects.exclude(seat=None).values_list("via", flat=True)
    yield f"moves: {_counts(Counter(moves))}"
    sent = OutgoingEmail.objects.filter(state=OutgoingEmail.State.SENT)
    yield f"emails: {_counts(Counter(sent.values_list('kind', flat=True)))}"
    log = AuditEvent.objects.filter(league=season.league).values_list("kind", flat=True)
    yield f"log of the league: {_counts(Counter(log))}"


def _left(entry: Registration) -> str:
    return str(entry.in_place_of.user) if entry.in_place_of else "nobody"


def _counts(counts: Counter[str] | Counter[int]) -> str:
    told = ", ".join(f"{count} × {what}" for what, count in counts.most_common())
    return f"{counts.total()}: {told}" if told else "none"
