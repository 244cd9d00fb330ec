"""Begin planned tables as their players have room.

The tick may run twice at once, so each step looks again under the lock.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.urls import reverse

from accounts.characters import count, shortened
from games.leagues.models import (
    AuditEvent,
    Division,
    LeagueTable,
    MissedRound,
    Registration,
    Round,
    Season,
)
from games.leagues.models.leagues import LONGEST_NAME
from games.leagues.services.audit_log import email_event, notify, record_event
from games.leagues.services.each_row import run_for_all
from games.leagues.services.locks import locked_division
from games.leagues.services.outage_time import last_outage
from games.leagues.services.ready_tables import Ready, ready_tables
from games.leagues.services.round_draws import assign_seats, give_byes
from games.leagues.services.schedule import reschedule
from games.models import SiteName
from games.services import create_scheduled_table


@transaction.atomic
def start_tables(division: Division, now: datetime) -> int:
    """Begin every planned table whose players have room, and email each of them once; return how many.

    A table with too few players left is given up, and they have a bye.
    """
    if not any(one.due <= now for one in ready_tables(division)):
        return 0
    division, season = locked_division(division)
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
        give_byes(one.row.round, one.entries)
        one.row.delete()
        return 1
    done = run_for_all([one.row], partial(begin_table, one.entries), now)
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
    """Record that the table goes on without the players who are away.

    Each table has its own copies of its players, so those of a later table lack what was recorded here.
    """
    for entry in Registration.objects.filter(pk__in=[entry.pk for entry in one.away]):
        entry.skipped = sorted({*entry.skipped, one.row.round.number})
        entry.save(update_fields=["skipped"])
        MissedRound.objects.get_or_create(round=one.row.round, entry=entry)
    people = [entry.user for entry in one.away]
    season, round_ = one.row.round.division.season, one.row.round
    email_event(record_event(AuditEvent.Kind.LEFT_OUT, season, None, touched=people, round=round_), people)


@transaction.atomic
def begin_table(entries: Sequence[Registration], row: LeagueTable, now: datetime, bots: int = 0) -> bool:
    """Create the game; seats are read back from it, as an anonymous table draws its own.

    Seats of `bots` follow those of the players, and belong to no one.
    """
    season = row.round.division.season
    game = create_scheduled_table(
        [entry.user for entry in entries],
        source=_source(row.round, season),
        source_path=_page_path(row.round, season, row.number),
        name=_table_name(row.round, season, row.number),
        bots=bots,
        **season.terms,
    )
    by_user = {entry.user_id: entry for entry in entries}
    seats = game.table.seats.filter(user__isnull=False).values_list("number", "user_id")
    assign_seats(row, {number: by_user[user or 0] for number, user in seats})
    row.table, row.begins_at, row.ends_at = game.table, now, now + timedelta(days=season.table_days)
    row.outage = last_outage()
    row.save(update_fields=["table", "begins_at", "ends_at", "outage"])
    return True


def _page_path(round_: Round, season: Season, table: int) -> str:
    """Return the path of the page about this table in its league."""
    level = round_.division.level
    return reverse("league_table", args=[season.league_id, season.number, level, round_.number, table])


def _source(round_: Round, season: Season) -> str:
    if round_.is_final:
        return SiteName("final of a season", league=season.league.name, season=season.number)
    where = {"league": season.league.name, "season": season.number, "round": round_.number}
    if season.most_divisions == 1:
        return SiteName("league round", **where)
    return SiteName("round of a division", **where, division=round_.division.letter)


def _table_name(round_: Round, season: Season, table: int) -> str:
    """Return the table's name, with the league's name shortened if the result would be too long."""
    league = season.league.name
    too_long = count(_full_name(league, round_, season, table)) - LONGEST_NAME
    if too_long > 0:
        league = shortened(league, count(league) - too_long)
    return _full_name(league, round_, season, table)


def _full_name(league: str, round_: Round, season: Season, table: int) -> SiteName:
    if round_.is_final:
        return SiteName("league final", league=league)
    where = {"league": league, "round": round_.number, "table": table}
    if season.most_divisions == 1:
        return SiteName("league table", **where)
    return SiteName("table of a division", **where, division=round_.division.letter)
