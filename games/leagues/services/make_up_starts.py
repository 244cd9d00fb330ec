"""Begin tables for players who missed theirs on holiday, and seek substitutes for the seats left over."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from games.leagues.models import (
    AuditEvent,
    Division,
    LeagueTable,
    MissedRound,
    OpenSeat,
    Registration,
    Season,
)
from games.leagues.results.drawn_rounds import seated_rounds
from games.leagues.seating import history_of, seat_round
from games.leagues.services.audit_log import notify, record_event
from games.leagues.services.locks import locked_division
from games.leagues.services.make_ups import MakeUp, make_ups_of
from games.leagues.services.schedule import reschedule
from games.leagues.services.substitute_offers import seek_substitute
from games.leagues.services.table_starts import begin_table


@transaction.atomic
def start_make_ups(division: Division, now: datetime) -> int:
    """Begin every table that can be made up now, and email its players; return how many."""
    if not any(one.is_ready for one in make_ups_of(division)):
        return 0
    division, season = locked_division(division)
    if season.state != Season.State.RUNNING:
        return 0
    done = 0
    for number in sorted(one.missed[0].round.number for one in make_ups_of(division)):
        # Each table takes room from its players, so the next round is looked at again.
        found = [one for one in make_ups_of(division) if one.missed[0].round.number == number]
        done += sum([_begin_tables(one, season, now) for one in found if one.is_ready])
    reschedule(season)
    return done


def _begin_tables(one: MakeUp, season: Season, now: datetime) -> int:
    rows = {missed.entry.user_id: missed for missed in one.here}
    tables = _seated(one, list(rows), season)
    for players in tables:
        _begin(one, [rows[player] for player in players], now)
    return len(tables)


def _seated(one: MakeUp, players: list[int], season: Season) -> list[Sequence[int]]:
    """Return who sits together: like a round drawn after those of the division, if they fill tables."""
    if len(players) < one.seats:
        return [players]
    before = history_of(seated_rounds(one.missed[0].round.division).values())
    return list(seat_round(players, season.size, before, bytes.fromhex(season.seed)).tables)


def _begin(one: MakeUp, missed: Sequence[MissedRound], now: datetime) -> None:
    """Begin a table for these players, bots in the other seats, and ask substitutes to take those."""
    round_ = missed[0].round
    last = round_.tables.aggregate(last=Max("number"))["last"] or 0
    row = LeagueTable.objects.create(round=round_, number=last + 1)
    entries = [miss.entry for miss in missed]
    bots = one.seats - len(entries) if len(one.here) == len(entries) else 0
    begin_table(entries, row, now, bots=bots)
    MissedRound.objects.filter(pk__in=[miss.pk for miss in missed]).update(make_up=row)
    _tell(entries, row)
    for seat in row.game_table.seats.filter(user=None).order_by("number"):
        seek_substitute(row, seat.number, None, OpenSeat.Why.MAKE_UP, now)


def _tell(entries: Sequence[Registration], row: LeagueTable) -> None:
    season, people = row.round.division.season, [entry.user for entry in entries]
    record_event(AuditEvent.Kind.MADE_UP, season, None, touched=people, table=row)
    for entry in entries:
        context = {"entry": entry.pk, "tables": [row.pk]}
        notify("league_table", to=entry.user, key=f"league_table:{row.pk}:{entry.pk}", context=context)
