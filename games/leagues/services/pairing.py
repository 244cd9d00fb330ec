"""Draw rounds, and begin their tables as their players have room."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from functools import partial

from django.db import transaction
from django.db.models import Max
from django.urls import reverse

from accounts.characters import count, shortened
from accounts.models import User
from games.leagues.models import (
    AuditEvent,
    Bye,
    Division,
    LeagueTable,
    Registration,
    Round,
    Season,
    SeatAssignment,
)
from games.leagues.models.leagues import LONGEST_NAME
from games.leagues.results.division_standings import division_standings
from games.leagues.results.drawn_rounds import seated_rounds
from games.leagues.seating import Seated, seat_next
from games.leagues.services.audit_log import email_event, notify, record_event
from games.leagues.services.permissions import locked_season
from games.leagues.services.schedule import (
    Ready,
    last_outage,
    ready_tables,
    reschedule,
    round_to_draw,
    run_for_all,
    sits_down,
)
from games.models import SiteName
from games.services import create_scheduled_table

# Both steps are run by the tick, which may run twice at once: each looks again under the season's lock.


def _locked(division: Division) -> tuple[Division, Season]:
    """Lock the division's players, then its season; return both rows as they are now.

    Players come first, as deleting an account locks the person first.
    """
    playing = division.entries.filter(state=Registration.State.PLAYING).values("user")
    list(User.objects.filter(pk__in=playing).order_by("pk").select_for_update(no_key=True))
    season = locked_season(division.season_id)
    division = Division.objects.get(pk=division.pk)
    division.season = season
    return division, season


# Drawing rounds


@transaction.atomic
def draw_rounds(division: Division, now: datetime) -> int:
    """Draw each round that can be drawn once the season has begun; return how many.

    A balanced plan is drawn for the whole season at once. Swiss rounds wait for results.
    """
    division, season = _locked(division)
    drawn = 0
    if season.state != Season.State.RUNNING or now < season.begins_at:
        return drawn
    while (round_ := round_to_draw(division)) is not None:
        round_.division = division
        _draw(round_, season)
        drawn += 1
    if drawn:
        reschedule(season)
    return drawn


def players_of(round_: Round) -> list[Registration]:
    """Return the players of this round: those playing in its division with an active account."""
    here = round_.division.entries.filter(from_round__lte=round_.number).select_related("user")
    return [entry for entry in here.order_by("user_id") if sits_down(entry, round_)]


def _draw(round_: Round, season: Season) -> None:
    entries = {entry.user_id: entry for entry in players_of(round_)}
    scores = _scores_before(round_, season, entries)
    before = [seated for number, seated in seated_rounds(round_.division).items() if number < round_.number]
    points = None if scores is None else {int(player): Fraction(text) for player, text in scores.items()}
    seated = seat_next(
        entries, season.size, season.rounds, bytes.fromhex(season.seed), before=before, scores=points
    )
    round_.draw = {"tables": seated.tables, "byes": seated.byes, "scores": scores}
    round_.save(update_fields=["draw"])
    _lay_out(round_, seated, entries)
    record_event(AuditEvent.Kind.ROUND_DRAWN, season, None, round=round_)


def _scores_before(
    round_: Round, season: Season, entries: Mapping[int, Registration]
) -> dict[str, str] | None:
    """Return everyone's points so far as fractions, if the format pairs equal scores."""
    if season.format != Season.Format.SWISS:
        return None
    rows = division_standings(round_.division).standings.rows
    return {str(row.player): str(row.points) for row in rows if row.player in entries}


def _lay_out(round_: Round, seated: Seated, entries: Mapping[int, Registration]) -> None:
    """Create the planned tables with their seats, and the byes."""
    for number, players in enumerate(seated.tables, start=1):
        row = LeagueTable.objects.create(round=round_, number=number)
        _assign(row, [entries[player] for player in players])
    _give_byes(round_, [entries[player] for player in seated.byes], is_told=bool(seated.tables))


def _assign(row: LeagueTable, entries: Iterable[Registration]) -> None:
    row.assignments.all().delete()
    SeatAssignment.objects.bulk_create(
        [SeatAssignment(table=row, position=seat, entry=entry) for seat, entry in enumerate(entries)]
    )


def _give_byes(round_: Round, entries: Iterable[Registration], *, is_told: bool = True) -> None:
    for entry in entries:
        bye = Bye.objects.create(round=round_, entry=entry)
        if is_told:
            notify("league_bye", to=entry.user, key=f"league_bye:{bye.pk}", context={"bye": bye.pk})


def draw_again(division: Division) -> int:
    """Take back the draw of all rounds after the last of which a table has begun; return the first of them.

    The next tick draws them with the players of then. Needs the season's lock.
    """
    begun = division.rounds.filter(tables__table__isnull=False).aggregate(last=Max("number"))["last"] or 0
    later = division.rounds.filter(number__gt=begun)
    LeagueTable.objects.filter(round__in=later).delete()
    Bye.objects.filter(round__in=later).delete()
    later.update(draw=None)
    return begun + 1


# Beginning tables


@transaction.atomic
def start_tables(division: Division, now: datetime) -> int:
    """Begin every planned table whose players have room, and email each of them once; return how many.

    A table with too few players left is given up, and they have a bye.
    """
    if not any(one.due <= now for one in ready_tables(division)):
        return 0
    division, season = _locked(division)
    if season.state != Season.State.RUNNING:
        return 0
    begun: dict[int, list[Ready]] = defaultdict(list)
    done = sum([_begin_or_wait(one, begun, now) for one in ready_tables(division)])
    entries = {entry.pk: entry for tables in begun.values() for one in tables for entry in one.entries}
    for pk, tables in begun.items():
        first, context = tables[0].row, {"entry": pk, "tables": [one.row.pk for one in tables]}
        notify("league_table", to=entries[pk].user, key=f"league_table:{first.pk}:{pk}", context=context)
    reschedule(season)
    return done


def _begin_or_wait(one: Ready, begun: dict[int, list[Ready]], now: datetime) -> int:
    if one.at > now:
        return _wait(one.row, now)
    if one.away:
        _leave_out(one)
    if not one.is_enough:
        _give_byes(one.row.round, one.entries)
        one.row.delete()
        return 1
    done = run_for_all([one.row], partial(_begin, one.entries), now)
    for entry in one.entries if done else ():
        begun[entry.pk].append(one)
    return done


def _wait(row: LeagueTable, now: datetime) -> int:
    if row.waits_since is not None:
        return 0
    row.waits_since = now
    row.save(update_fields=["waits_since"])
    return 1


def _leave_out(one: Ready) -> None:
    """Record that the table goes on without the players who are away."""
    for entry in one.away:
        entry.skipped = sorted({*entry.skipped, one.row.round.number})
        entry.save(update_fields=["skipped"])
    people = [entry.user for entry in one.away]
    season, round_ = one.row.round.division.season, one.row.round
    email_event(record_event(AuditEvent.Kind.LEFT_OUT, season, None, touched=people, round=round_), people)


@transaction.atomic
def _begin(entries: Sequence[Registration], row: LeagueTable, now: datetime) -> bool:
    """Create the game; seats are read back from it, as an anonymous table draws its own."""
    season = row.round.division.season
    game = create_scheduled_table(
        [entry.user for entry in entries],
        source=_source(row.round, season),
        source_path=_address(row.round, season, row.number),
        name=_name(row.round, season, row.number),
        **season.terms,
    )
    by_user = {entry.user_id: entry for entry in entries}
    seats = game.table.seats.order_by("number").values_list("user_id", flat=True)
    _assign(row, [by_user[user or 0] for user in seats])
    row.table, row.begins_at, row.ends_at = game.table, now, now + timedelta(days=season.table_days)
    row.outage = last_outage()
    row.save(update_fields=["table", "begins_at", "ends_at", "outage"])
    return True


def _address(round_: Round, season: Season, table: int) -> str:
    """Return the path of the page about this table in its league."""
    level = round_.division.level
    return reverse("league_table", args=[season.league_id, season.number, level, round_.number, table])


def _source(round_: Round, season: Season) -> str:
    where = {"league": season.league.name, "season": season.number, "round": round_.number}
    if season.most_divisions == 1:
        return SiteName("league round", **where)
    return SiteName("round of a division", **where, division=round_.division.letter)


def _name(round_: Round, season: Season, table: int) -> str:
    """Return the table's name, with the league's name shortened if the result would be too long."""
    league = season.league.name
    too_long = count(_named(league, round_, season, table)) - LONGEST_NAME
    if too_long > 0:
        league = shortened(league, count(league) - too_long)
    return _named(league, round_, season, table)


def _named(league: str, round_: Round, season: Season, table: int) -> SiteName:
    where = {"league": league, "round": round_.number, "table": table}
    if season.most_divisions == 1:
        return SiteName("league table", **where)
    return SiteName("table of a division", **where, division=round_.division.letter)
