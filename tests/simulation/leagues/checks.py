"""What must be true of a simulated season, looked at from outside after its end."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from fractions import Fraction

from games.leagues.integrity import recomputed
from games.leagues.models import (
    Division,
    LeagueTable,
    OpenSeat,
    Registration,
    Round,
    Season,
    SeatAssignment,
    Standing,
)
from games.leagues.selectors.league_files import standings_as_json
from games.leagues.selectors.standings_page import standings_page
from games.models import LogEntry, Seat, SeatChange, Table
from tests.leagues.test_standings_from_files import File, reckoned
from tests.recompute_season import Recomputed
from tests.simulation.games.checks import second_emails

PROMISES = (
    "every table that was drawn has been played to an end, or its players have a bye",
    "nobody sat twice in a round, in two seats of a table, or at more tables at once than the season says",
    "no one played after they had left",
    "points at each table add up; standings recomputed from the public files are those published",
    "everything that check_leagues computes again is what is stored",
    "no decision was emailed twice as a new one",
)


def problems(season: Season) -> Iterator[str]:
    """Yield a sentence for each broken promise."""
    if season.state != Season.State.CLOSED:
        yield f"{season}: it is {season.state}"
        return
    yield from (f"{season}: {told}" for told in recomputed(season))
    for division in season.divisions.select_related("season__league").order_by("level"):
        for round_ in division.rounds.order_by("number"):
            yield from _of_people(round_)
        yield from _of_public_file(division)
    yield from _of_tables(season)
    for entry, most in at_once(season).items():
        if most > season.tables_at_once:
            yield f"{season}: entry {entry} played at {most} tables at once"
    yield from _of_who_left(season)
    yield from second_emails()


def tables_of(season: Season) -> list[LeagueTable]:
    """Return all tables that were drawn, by round and number."""
    rows = LeagueTable.objects.filter(round__division__season=season).select_related("round__division")
    return list(rows.select_related("table").order_by("round__division__level", "round__number", "number"))


def _of_people(round_: Round) -> Iterator[str]:
    seats = SeatAssignment.objects.filter(table__round=round_).values_list("entry", flat=True)
    for entry, times in Counter([*seats, *round_.byes.values_list("entry", flat=True)]).items():
        if times > 1:
            yield f"{round_}: entry {entry} is in it {times} times"
    for one in SeatAssignment.objects.filter(table__round=round_).select_related("entry__user", "table"):
        begins_at = one.table.begins_at
        if one.entry.out_at and begins_at and one.entry.out_at < begins_at:
            yield f"{round_}: {one.entry.user} plays after they have left"


def _of_tables(season: Season) -> Iterator[str]:
    for table in tables_of(season):
        if table.table is None or table.collected_at is None:
            yield f"{table}: it was not played"
        elif table.table.size != table.assignments.count():
            yield f"{table}: {table.assignments.count()} people sit in {table.table.size} seats"


def _of_public_file(division: Division) -> Iterator[str]:
    """Check that the division's public file gives the standing that was published."""
    file: File = json.loads(json.dumps(standings_as_json(standings_page(division), "/")))
    published = Standing.objects.filter(division=division).order_by("place")
    stored = [(number, Fraction(points)) for number, points in published.values_list("entry__user", "points")]
    if reckoned(file) != stored:
        yield f"{division}: its public file gives other points or places than those published"
    for table in file["tables"]:
        yield from _of_sum(file, table, division)


def _of_sum(file: File, table: File, division: Division) -> Iterator[str]:
    is_plain = file["rules"]["scoring"] == "placement" and table["how"] != "abandoned"
    if is_plain and all(seat["awarded"] is None for seat in table["seats"]):
        places = file["rules"]["places"][str(len(table["seats"]))]
        given = Recomputed(file, file | {"players": file["standing"]}, as_played=False).points_of_seats(table)
        if sum(given) != sum(map(Fraction, places)):
            yield f"{division}, round {table['round']}, table {table['table']}: its points do not add up"


def at_once(season: Season) -> dict[int, int]:
    """Return at how many tables each entry played at once, at most; seats that they gave up do not count."""
    spans: dict[int, list[tuple[datetime, datetime]]] = defaultdict(list)
    seated = SeatAssignment.objects.filter(table__round__division__season=season)
    for one in seated.select_related("table", "entry"):
        left = SeatChange.objects.filter(game__table=one.table.table_id, before=one.entry.user_id)
        end = left.order_by("at").values_list("at", flat=True).first() or one.table.collected_at
        if one.table.begins_at and end:
            spans[one.entry_id].append((one.table.begins_at, end))
    return {entry: _most_at_once(held) for entry, held in spans.items()}


def _most_at_once(spans: Iterable[tuple[datetime, datetime]]) -> int:
    spans = list(spans)
    return max(sum(begin <= at < end for begin, end in spans) for at, _end in spans)


def _of_who_left(season: Season) -> Iterator[str]:
    """A player who is out has no seat in a running game, and answered nothing in one that they had left."""
    out = season.entries.filter(state__in=(Registration.State.WITHDRAWN, Registration.State.EXPELLED))
    tables = LeagueTable.objects.filter(round__division__season=season).values("table")
    for entry in out.select_related("user"):
        playing = Seat.objects.filter(table__in=tables, table__state=Table.State.PLAYING)
        if playing.filter(user=entry.user_id).exists():
            yield f"{season}: {entry.user} still has a seat after they have left"
        for change in SeatChange.objects.filter(game__table__in=tables, before=entry.user_id):
            if _played_on(change):
                yield f"{season}: {entry.user} played on after they have left"


def _played_on(change: SeatChange) -> bool:
    """Return whether a person played for the seat before anyone had taken it over."""
    later = SeatChange.objects.filter(game=change.game_id, seat=change.seat, pk__gt=change.pk).first()
    answers = LogEntry.objects.filter(
        game=change.game_id, seat=change.seat, ply__gte=change.ply, via__in=LogEntry.OWN_WAYS
    )
    if later is not None:
        answers = answers.filter(ply__lt=later.ply)
    return change.after_id is None and answers.exists()


def seats_left(season: Season) -> Counter[str]:
    """Return how many seats were left, by reason and by what became of them."""
    seats = OpenSeat.objects.filter(table__round__division__season=season)
    return Counter(f"{one.why}, {one.state}" for one in seats)
