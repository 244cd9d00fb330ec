"""Collected tables as the games that ratings are computed from: who stayed, who left, and who helped.

Rated is what was won at a table of a public league's rated season: by the rules, by agreement, or by most
regions when its time was out, for nobody saves his rating by playing slowly. Where nobody has won, or an
organiser awarded points whatever was played, nothing is rated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Max, QuerySet

from games.commands.record import OWN_WAYS, SECRET_ANSWERS
from games.leagues.models import LeagueTable
from games.leagues.ratings import RatedGame, RatedSeat
from games.leagues.reading import facts_of
from games.leagues.scoring import How, SeatFacts
from games.models import Game, LogEntry, SeatChange, TimeEvent

PLAYED_OUT = (How.RULES, How.AGREEMENT, How.ADJUDICATED)
EDITION = "round__division__season__terms__options_json__edition"
_AT_ONCE = 200  # tables that are read together

_Seat = tuple[int, int]  # the games' table, the number of the seat
_Step = tuple[int, int]  # the number of a game, a log entry of it
_START = (0, 0)


def with_all(rows: QuerySet[LeagueTable]) -> QuerySet[LeagueTable]:
    """With what `rated_games` asks of each."""
    return rows.select_related("table", "round__division__season__league").prefetch_related("awards")


def edition_of(row: LeagueTable) -> str:
    return str(row.round.division.season.terms["options_json"]["edition"])


def counts(row: LeagueTable) -> bool:
    """Whether this table is rated."""
    season = row.round.division.season
    if row.facts is None or not season.is_rated or season.league.is_private or row.awards.all():
        return False
    facts = facts_of(row)
    return facts.how in PLAYED_OUT and any(seat.won for seat in facts.seats)


def rated_games(rows: Iterable[LeagueTable]) -> Iterator[RatedGame]:
    """The games of those tables that are rated, in the order given; queries grow with hundreds of tables."""
    counted = [row for row in rows if counts(row)]
    for first in range(0, len(counted), _AT_ONCE):
        some = counted[first : first + _AT_ONCE]
        tails = _tails([row.table_id for row in some])
        ended = _ended_at([row.table_id for row in some])
        for row in some:
            yield _game(row, ended[row.table_id], tails)


def _game(row: LeagueTable, ended: datetime, tails: Mapping[_Seat, _Tail]) -> RatedGame:
    seats: dict[int, RatedSeat] = {}
    for number, facts in enumerate(facts_of(row).seats):
        was_left = tails[row.table_id, number].is_played_for(row.table.most_misses)
        for seat in _seats(facts, was_left=was_left):
            seats.setdefault(seat.player or 0, seat)
    return RatedGame(row.pk, edition_of(row), ended.timestamp(), tuple(seats.values()))


def _seats(facts: SeatFacts, *, was_left: bool) -> Iterator[RatedSeat]:
    """One for each who held the seat; the first was seated there, whoever came later helped."""
    last = len(facts.holders) - 1
    for number, holder in enumerate(facts.holders):
        if holder.player is not None:
            stayed = number == last and not was_left
            yield RatedSeat(holder.player, facts.place, stayed, helped=number > 0)


def _ended_at(tables: list[int]) -> dict[int, datetime]:
    ended = Game.objects.filter(table__in=tables).order_by().values_list("table")
    return dict(ended.annotate(at=Max("ended_at")))


# How a seat was played at the end


@dataclass
class _Tail:
    """What was answered for a seat since its last holder came, came back, or last answered himself."""

    since: _Step = _START
    by_clock: list[_Step] = field(default_factory=list)
    by_bot: list[_Step] = field(default_factory=list)

    def is_played_for(self, most_misses: int) -> bool:
        """Whether a bot, or the clock as often as lets a bot stand in, has answered since."""
        missed = sum([step >= self.since for step in self.by_clock])
        return missed >= most_misses or any(step >= self.since for step in self.by_bot)


def _tails(tables: list[int]) -> Mapping[_Seat, _Tail]:
    tails: defaultdict[_Seat, _Tail] = defaultdict(_Tail)
    for table, seat, game, ply in [*_own_answers(tables), *_arrivals(tables)]:
        tail = tails[table, seat]
        tail.since = max(tail.since, (game, ply))
    entries = LogEntry.objects.filter(game__table__in=tables, seat__isnull=False)
    others = entries.exclude(via__in=OWN_WAYS).exclude(move__in=SECRET_ANSWERS).order_by()
    columns = ("game__table", "seat", "game__number", "ply", "via")
    for table, seat, game, ply, via in others.values_list(*columns):
        tail = tails[table, seat or 0]
        (tail.by_clock if via == LogEntry.Via.CLOCK else tail.by_bot).append((game, ply))
    return tails


def _own_answers(tables: list[int]) -> Iterable[tuple[int, int, int, int]]:
    """The last of each seat in each game."""
    own = LogEntry.objects.filter(game__table__in=tables, via__in=OWN_WAYS, seat__isnull=False)
    grouped = own.order_by().values_list("game__table", "seat", "game__number")
    return grouped.annotate(last=Max("ply"))


def _arrivals(tables: list[int]) -> Iterator[tuple[int, int, int, int]]:
    """Who came back, and who took a seat over."""
    columns = ("game__table", "seat", "game__number", "ply")
    back = TimeEvent.objects.filter(game__table__in=tables, kind=TimeEvent.Kind.BACK, seat__isnull=False)
    yield from back.order_by().values_list(*columns)
    came = SeatChange.objects.filter(game__table__in=tables)
    yield from came.order_by().values_list(*columns)
