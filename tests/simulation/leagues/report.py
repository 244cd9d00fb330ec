"""The report of a simulated season: standings, promotions, figures, broken promises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from games.leagues.models import (
    AuditEvent,
    Award,
    Bye,
    Division,
    League,
    OpenSeat,
    Registration,
    Season,
    SeatAssignment,
    Standing,
    SubstituteOffer,
)
from games.leagues.results import division_standings
from games.models import Game, LogEntry, TimeEvent
from tests.simulation.leagues.checks import Delivered

MOST_PROBLEMS = 30


def printed(league: League, delivered: Iterable[Delivered], problems: list[str]) -> Iterator[str]:
    """Yield the report line by line."""
    first = league.seasons.select_related("league").order_by("number").first()
    assert first is not None
    for division in first.divisions.order_by("level"):
        division.season = first
        yield from _standing(division)
    yield from _moves(first)
    yield "Found"
    yield from (f"  {line}" for line in _found(league, first, list(delivered)))
    yield "Checks"
    yield from (f"  {line}" for line in _checks(problems))


def _standing(division: Division) -> Iterator[str]:
    yield f"Division {division.letter}"
    yield "  place  points  tables  wins  regions  byes  player"
    computed = division_standings(division)
    for row in computed.standings.rows:
        decided = f"; decided by {row.decided_by.tie_break}" if row.decided_by else ""
        state = f" ({computed.entries[row.player].get_state_display()})" if row.is_out else ""
        yield (
            f"  {row.place:>5}  {float(row.points):>6.2f}  {row.played:>6}  {float(row.wins):>4.1f}  "
            f"{float(row.regions):>7.1f}  {row.byes:>4}  {computed.entries[row.player].user}{state}{decided}"
        )
    for one in computed.standings.helps:
        yield f"  {computed.people[one.player]} helped in round {one.round}: {float(one.points):.2f} points"


def _moves(season: Season) -> Iterator[str]:
    yield "To the next season"
    published = Standing.objects.filter(division__season=season).select_related("division", "entry__user")
    for standing in published.order_by("division__level", "place"):
        if standing.next_level not in (None, standing.division.level):
            to = Division(season=season, level=standing.next_level).letter
            yield f"  {standing.entry.user}: {standing.division.letter} → {to}"
    for season_ in season.league.seasons.filter(number__gt=season.number).order_by("number"):
        sizes = [str(division.entries.count()) for division in season_.divisions.order_by("level")]
        yield f"  season {season_.number} is {season_.get_state_display()}; players: {', '.join(sizes)}"


def _found(league: League, first: Season, delivered: list[Delivered]) -> Iterator[str]:
    states = Counter(first.entries.values_list("state", flat=True))
    yield f"people in the first season: {_by_number(states)}"
    games = Game.objects.all()
    moves = Counter(LogEntry.objects.exclude(seat=None).values_list("via", flat=True))
    yield f"games: {games.count()}, of which over: {_by_number(_ends(games.exclude(ended_at=None)))}"
    yield f"moves: {moves.total()}; {_by_number(moves)}"
    yield f"emails: {len(delivered)}; {_by_number(Counter(one.kind for one in delivered))}"
    why = Counter(OpenSeat.objects.values_list("why", flat=True))
    yield f"seats left: {why.total()}; {_by_number(why)}; {_by_number(_states_of_open_seats())}"
    answers = Counter(SubstituteOffer.objects.values_list("answer", flat=True))
    yield f"substitutes asked: {answers.total()}; {_by_number(answers)}"
    events = Counter(TimeEvent.objects.values_list("kind", flat=True))
    yield f"what clocks did: {_by_number(events)}"
    events = Counter(AuditEvent.objects.filter(league=league).values_list("kind", flat=True))
    yield f"events: {_by_number(events)}"
    yield f"awards: {Award.objects.count()}; byes: {Bye.objects.count()}"
    filled = Registration.objects.filter(in_place_of__isnull=False).count()
    yield f"places filled from the waiting list while the season ran: {filled}"
    for number, repeated in _repeated(first).items():
        yield f"division {number}: {repeated} repeated meetings"


def _ends(games: Iterable[Game]) -> Counter[str]:
    return Counter(game.ended or "by the rules" for game in games)


def _states_of_open_seats() -> Counter[str]:
    return Counter(OpenSeat.objects.values_list("state", flat=True))


def _by_number(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.most_common())


def _repeated(season: Season) -> Mapping[str, int]:
    """Return how often players met again, by division."""
    found: dict[str, int] = {}
    for division in season.divisions.order_by("level"):
        tables: dict[int, list[int]] = {}
        for table, entry in SeatAssignment.objects.filter(table__round__division=division).values_list(
            "table", "entry"
        ):
            tables.setdefault(table, []).append(entry)
        met = Counter(pair for roster in tables.values() for pair in combinations(sorted(roster), 2))
        found[division.letter] = sum(times - 1 for times in met.values())
    return found


def _checks(problems: list[str]) -> Iterator[str]:
    if not problems:
        yield "each table's points are what the scoring gives, shared out among its people and bots"
        yield "nobody sat in two seats of a table, or twice in a round; no round was without its players"
        yield "facts and standings computed anew are the stored ones"
        yield "every email was sent once at most"
        yield "no one lost points or rating as a substitute, and no one played after they had left"
        yield "everyone who plays again has the place that was kept for them"
    for problem in problems[:MOST_PROBLEMS]:
        yield f"FAILED: {problem}"
    if len(problems) > MOST_PROBLEMS:
        yield f"FAILED: and {len(problems) - MOST_PROBLEMS} more"
