"""Seats that players leave on the pages of their games: a search for a substitute begins, or ends."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from games.leagues.models import LeagueTable, OpenSeat, Season
from games.leagues.services.each_row import run_for_all
from games.leagues.services.locks import locked_season
from games.leagues.services.open_seats import (
    close,
    is_needed,
    is_settled,
    left_by,
    open_seat_now,
    season_id_of,
    tables_in_play,
)
from games.leagues.services.schedule import reschedule
from games.leagues.services.substitute_offers import seek_substitute
from games.models import Seat, Table


def notice_absences(now: datetime) -> int:
    """Open searches for seats given up or left by absent players; end needless ones. Part of the tick.

    Return how many seats changed.
    """
    left = run_for_all(list(_seats_left()), _open_search, now)
    return left + run_for_all(_searches_that_may_end(), _closed_if_needless, now)


def _seats_left() -> Iterator[Seat]:
    """Yield the seats played by bots for which no search has been opened yet."""
    tables = {table.table_id: table for table in tables_in_play().filter(_has_bot())}
    played = Seat.objects.filter(~Q(bot="") | ~Q(played_by_bot=""), table__in=tables)
    for seat in played.order_by("table", "number"):
        if not is_settled(tables[seat.table_id], seat):
            yield seat


def _has_bot() -> Exists:
    seats = Seat.objects.filter(~Q(bot="") | ~Q(played_by_bot=""), table=OuterRef("table"))
    return Exists(seats)


@transaction.atomic
def _open_search(seat: Seat, now: datetime) -> bool:
    table = LeagueTable.objects.get(table=seat.table_id)
    season = locked_season(
        Season.objects.values_list("pk", flat=True).get(divisions__rounds__tables=table.pk)
    )
    seat = Seat.objects.select_related("table", "user").get(pk=seat.pk)
    is_on = season.state == Season.State.RUNNING and seat.table.state == Table.State.PLAYING
    if not is_on or not seat.played_by or is_settled(table, seat):
        return False
    why = OpenSeat.Why.LEFT if seat.bot else OpenSeat.Why.AWAY
    seek_substitute(table, seat.number, left_by(seat), why, now)
    reschedule(season)  # someone who gave up a seat has room for another table
    return True


def _searches_that_may_end() -> QuerySet[OpenSeat]:
    seats = Seat.objects.filter(table=OuterRef("table__table"), number=OuterRef("seat"))
    is_back = Exists(seats.filter(user__isnull=False, played_by_bot=""))
    over = ~Q(table__table__state=Table.State.PLAYING)
    not_running = ~Q(table__round__division__season__state=Season.State.RUNNING)
    return OpenSeat.objects.filter(over | not_running | is_back, state__in=OpenSeat.SOUGHT).order_by("pk")


@transaction.atomic
def _closed_if_needless(open_seat: OpenSeat, now: datetime) -> bool:
    locked_season(season_id_of(open_seat))
    open_seat = open_seat_now(open_seat)
    if open_seat.state not in OpenSeat.SOUGHT or is_needed(open_seat):
        return False
    close(open_seat, now)
    return True
