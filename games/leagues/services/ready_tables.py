"""Rounds that can be drawn, and tables that can begin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Count, F, Prefetch, Q, QuerySet

from accounts import clock
from accounts.availability import back_at
from games.leagues.models import Division, LeagueTable, Registration, Round, Season, SeatAssignment
from games.leagues.seating import LEAST_AT_TABLE


def round_to_draw(division: Division) -> Round | None:
    """Return the first round that is not drawn, if it can be drawn now.

    A Swiss round needs results: all of the round before. If players play at several tables at once, half of
    it is enough, and all of the one before that.
    """
    left = Count("tables", filter=Q(tables__collected_at=None))
    rounds = list(division.rounds.annotate(played=Count("tables"), left=left).order_by("number"))
    drawn = [one for one in rounds if one.draw is not None]
    if len(drawn) == len(rounds):
        return None
    if division.season.format != Season.Format.SWISS or not drawn or not drawn[-1].left:
        return rounds[len(drawn)]
    is_half_over = division.season.tables_at_once > 1 and 2 * drawn[-1].left <= drawn[-1].played
    is_clear = all(not one.left for one in drawn[-2:-1])
    return rounds[len(drawn)] if is_half_over and is_clear else None


@dataclass(frozen=True, slots=True)
class Ready:
    """A planned table whose players have room, with those who sit down at it, in the order of seats.

    It begins at `at`: in the past, that is now, or once the players who are away are back or it has waited
    for long enough. Then it begins without those of them who are `away` still.
    """

    row: LeagueTable
    entries: tuple[Registration, ...]
    at: datetime
    away: tuple[Registration, ...] = ()

    @property
    def due(self) -> datetime:
        """When the season has to look at it: at once if its waiting has not been noted yet."""
        season = self.row.round.division.season
        return season.begins_at if self.row.waits_since is None else self.at

    @property
    def is_enough(self) -> bool:
        """Whether these players make a table; otherwise they have a bye."""
        return len(self.entries) >= self.least

    @property
    def least(self) -> int:
        """How many players make a table."""
        return min(self.row.round.division.season.size, LEAST_AT_TABLE)


def ready_tables(division: Division) -> list[Ready]:
    """Return the planned tables whose players have room, by round and number.

    They play at fewer tables than the season lets a player play at once. So a slow table holds up no one but
    its own players. A table that waits for players who are away leaves the others their room.
    None begins while the league is paused.
    """
    if division.season.league.is_paused(clock.now()):
        return []
    now, busy, ready = clock.now(), tables_held(division), []
    for row in _planned(division):
        one = _ready(row, now)
        if one.is_enough and not all(has_room(entry, busy, division.season) for entry in one.entries):
            continue
        ready.append(one)
        busy.update([entry.user_id for entry in one.entries] if one.is_enough and one.at <= now else [])
    return ready


def _ready(row: LeagueTable, now: datetime) -> Ready:
    entries = tuple([at.entry for at in row.assignments.all() if sits_down(at.entry, row.round)])
    back = {entry: back_at(entry.user, entry.user.holidays.all(), now) for entry in entries}
    away = {entry: moment for entry, moment in back.items() if moment is not None}
    one = Ready(row, entries, row.round.division.season.begins_at)
    if not away or not one.is_enough:
        return one
    until = waits_until(row, row.round.division.season)
    if now < until:
        return replace(one, at=min(max(away.values()), until))
    here = tuple([entry for entry in entries if entry not in away])
    without = replace(one, entries=here, away=tuple(away))
    if without.is_enough:
        return without
    # With too few players left, the table waits for the next of them who are back in time.
    enough = replace(one, at=sorted(away.values())[one.least - len(here) - 1])
    return enough if enough.at < row.round.division.season.half_at else without


def waits_until(row: LeagueTable, season: Season) -> datetime:
    """Return until when a table waits for players who are away."""
    return (row.waits_since or clock.now()) + timedelta(days=season.away_days)


def sits_down(entry: Registration, round_: Round) -> bool:
    """Return whether this player takes their seat in a round, or its tables play without them."""
    user, is_skipped = entry.user, round_.number in entry.skipped
    is_here = user.is_active and user.deleted_at is None
    return entry.state == Registration.State.PLAYING and is_here and not is_skipped


def has_room(entry: Registration, busy: Mapping[int, int], season: Season) -> bool:
    """Return whether this player may begin another table now; otherwise the table waits."""
    return busy.get(entry.user_id, 0) < season.tables_at_once


def tables_held(division: Division) -> Counter[int]:
    """Return how many running tables each player of the division plays at, not counting others' seats."""
    running = LeagueTable.objects.running().filter(round__division=division)
    held = SeatAssignment.objects.filter(table__in=running, table__table__seats__user=F("entry__user"))
    return Counter(held.values_list("entry__user", flat=True))


def _planned(division: Division) -> list[LeagueTable]:
    rows = list(
        LeagueTable.objects.planned()
        .filter(round__division=division)
        .select_related("round")
        .prefetch_related(
            Prefetch("assignments", SeatAssignment.objects.select_related("entry__user")),
            "assignments__entry__user__holidays",
        )
        .order_by("round__number", "number")
    )
    for row in rows:
        row.round.division = division
    return rows


def next_round(entry: Registration) -> int | None:
    """Return the round of the player's next table that has not begun, drawn or not; None if there is none."""
    if entry.division is None or entry.state != Registration.State.PLAYING:
        return None
    rounds = rounds_ahead(entry.division, entry).filter(number__gte=entry.from_round)
    return rounds.values_list("number", flat=True).first()


def rounds_ahead(division: Division, entry: Registration) -> QuerySet[Round]:
    """Return the rounds that are not drawn, or whose table with this player has not begun, in order."""
    planned = Q(tables__table=None, tables__assignments__entry=entry)
    return division.rounds.filter(Q(draw__isnull=True) | planned).order_by("number").distinct()
