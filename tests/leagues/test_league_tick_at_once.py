"""Two beats, results and rounds at one moment, on PostgreSQL: each has one effect, and nothing is lost.

A beat leaves a season that another one holds to the next beat, so one more follows.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction

from accounts.models import User
from games.leagues.integrity import recomputed
from games.leagues.models import AuditEvent, LeagueTable, Rating, Round, Season, Standing
from games.leagues.services.league_ratings import rate_new
from games.leagues.services.league_tick import run_seasons
from games.leagues.services.plan_checks import DATES
from games.leagues.services.result_collection import collect
from games.leagues.services.season_plans import plan_season
from games.leagues.services.skipping import skip
from games.leagues.services.withdrawals import withdraw
from games.models import Game, Seat
from games.services import Refused
from tests.clocks import racing
from tests.clocks.passing import Wall, emails
from tests.leagues import world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

at_once = partial(racing.at_once, allowed=())


@pytest.fixture(autouse=True)
def on_postgresql(transactional_db: None) -> None:
    assert connection.vendor == "postgresql"


def a_season(turn: int, count: int = 8, **plan: Any) -> Season:
    players = world.people(count, f"Turn{turn}n")
    return world.running(world.a_season(world.a_league(players[0], f"League {turn}"), **plan), players)


def first_round(season: Season) -> Round:
    return season.divisions.get().rounds.get(number=1)


def beat(wall: Wall) -> Callable[[], int]:
    return partial(run_seasons, wall.now)


@pytest.mark.long
def test_two_beats_begin_a_round_once(wall: Wall) -> None:
    for turn in range(racing.TIMES):
        season = a_season(turn, rounds=1)
        at_once(wall, beat(wall), beat(wall), beat(wall))
        run_seasons(wall.now)
        assert LeagueTable.objects.filter(round__division__season=season).count() == 2
        assert season.events.filter(kind=AuditEvent.Kind.ROUND_DRAWN).count() == 1
        assert len(emails("league_table")) == 8 * (turn + 1)
        season.refresh_from_db()
        assert recomputed(season) == []


@pytest.mark.long
def test_a_result_that_arrives_while_a_beat_looks_is_counted_once(wall: Wall) -> None:
    for turn in range(racing.TIMES):
        season = a_season(turn, rounds=2)
        run_seasons(wall.now)
        round_ = first_round(season)
        first, last = round_.tables.all()
        world.finish(first)
        at_once(wall, partial(world.finish, last), beat(wall), beat(wall))
        at_once(wall, beat(wall), beat(wall))
        run_seasons(wall.now)
        assert not round_.tables.filter(collected_at=None).exists()
        running = LeagueTable.objects.running().filter(round__division__season=season)
        assert list(running.values_list("round__number", flat=True)) == [2, 2]
        assert len(emails("league_result")) == 8 * (turn + 1)
        season.refresh_from_db()
        assert recomputed(season) == []


def test_a_result_and_an_adjudication_make_one_end(wall: Wall) -> None:
    for turn in range(racing.TIMES):
        season = a_season(turn, 4, rounds=1, table_days=10, extension_days=0)
        run_seasons(wall.now)
        (table,) = first_round(season).tables.all()
        end = table.deadline
        at_once(wall, partial(_finish_if_it_can, table), partial(run_seasons, end))
        run_seasons(end)
        season.refresh_from_db()
        assert season.state == Season.State.CLOSED
        game = world.game_at(table)
        events = season.events.filter(kind=AuditEvent.Kind.ADJUDICATED).count()
        assert events == (game.ended == "adjudicated")
        assert recomputed(season) == []


@transaction.atomic
def _finish_if_it_can(table: LeagueTable) -> None:
    """As a move does it: under the game's lock, and not once the game is over."""
    game = Game.objects.select_for_update().get(table=table.table_id)
    if not game.is_over:
        world.finish(table)


@pytest.mark.long
def test_two_beats_close_a_season_and_plan_the_next_once(wall: Wall) -> None:
    """Also if its last result arrives at that moment."""
    for turn in range(racing.TIMES):
        season = a_season(turn, 4, rounds=1)
        run_seasons(wall.now)
        (last,) = first_round(season).tables.all()
        at_once(wall, partial(world.finish, last), beat(wall), beat(wall))
        at_once(wall, beat(wall), beat(wall), beat(wall))
        run_seasons(wall.now)
        season.refresh_from_db()
        assert season.state == Season.State.CLOSED
        assert Standing.objects.filter(division__season=season).count() == 4
        assert season.league.seasons.count() == 2
        assert len(emails("league_closed")) == 4 * (turn + 1)
        assert recomputed(season) == []


def test_a_season_planned_by_hand_while_the_last_one_closes_has_its_places_kept(wall: Wall) -> None:
    for turn in range(racing.TIMES):
        season = a_season(turn, 4, rounds=1, pause_days=None if turn % 2 else 7)
        run_seasons(wall.now)
        world.finish_all(first_round(season))
        plan = {column: getattr(season, column) for column in DATES}
        dates = {column: moment + 30 * world.DAY for column, moment in plan.items()}
        organiser = season.league.organisers.get().user
        planned = partial(_plan_if_free, season, organiser, terms=season.terms, **dates)
        at_once(wall, beat(wall), planned, beat(wall))
        run_seasons(wall.now)
        (following,) = season.league.seasons.filter(number__gt=season.number)
        assert following.entries.filter(state="expected").count() == 4


def _plan_if_free(season: Season, organiser: User, **plan: Any) -> None:
    """The season itself may have been quicker, and planned the next one."""
    with suppress(Refused):
        plan_season(season.league, organiser, **plan)


def test_someone_who_withdraws_while_tables_begin_is_at_one_with_a_bot_or_at_none(wall: Wall) -> None:
    for turn in range(racing.TIMES):
        season = a_season(turn, 9, rounds=1)
        entry = season.entries.first()
        assert entry is not None
        at_once(wall, beat(wall), partial(withdraw, entry), beat(wall))
        run_seasons(wall.now)
        assert not Seat.objects.filter(user=entry.user).exists()
        tables = LeagueTable.objects.filter(round__division__season=season)
        assert tables.count() == 2
        assert len(emails("league_table")) in range(8 * (turn + 1), 9 * (turn + 1) + 1)
        season.refresh_from_db()
        assert recomputed(season) == []


def test_someone_who_skips_a_table_while_it_begins_is_at_it_or_told_that_it_has_begun(wall: Wall) -> None:
    for turn in range(racing.TIMES):
        season = a_season(turn, 8, rounds=1)
        world.begin(season, season.begins_at - world.DAY)
        entry = season.entries.first()
        assert entry is not None
        _begun, answer, _again = racing.at_once(
            wall, beat(wall), partial(skip, entry, 1), beat(wall), allowed=Refused
        )
        run_seasons(wall.now)
        is_seated = Seat.objects.filter(user=entry.user).exists()
        assert is_seated == isinstance(answer, Refused)
        season.refresh_from_db()
        assert recomputed(season) == []


@pytest.mark.long
def test_beats_at_one_moment_rate_each_table_once(wall: Wall) -> None:
    """Also those that are collected while others are rated."""
    for turn in range(racing.TIMES):
        season = a_season(turn, rounds=1)
        run_seasons(wall.now)
        first, second = world.finish_all(first_round(season), turn)
        collect(first, wall.now)
        rated = [partial(rate_new, wall.now)] * 2
        at_once(wall, *rated, partial(collect, second, wall.now))
        at_once(wall, *rated)
        rated = Rating.objects.filter(user__league_entries__season=season)
        assert list(rated.values_list("tables", flat=True)) == [1] * 8
