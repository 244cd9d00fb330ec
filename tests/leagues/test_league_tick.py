"""The tick of all leagues: everything due is done once, and one season's failure stops no other."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings

from games.leagues import tasks
from games.leagues.integrity import recomputed
from games.leagues.models import AuditEvent, Bye, Division, LeagueTable, Registration, Round, Season, Standing
from games.leagues.services import league_tick
from games.leagues.services.league_tick import run_seasons
from games.leagues.services.registration import confirm, sign_up
from games.models import Table
from tests.clocks.passing import Wall, emails
from tests.leagues import world
from tests.leagues.world import DAY


def test_beat_wakes_it() -> None:
    assert settings.BEAT_SECONDS["games.leagues.tasks.run_seasons"] == 10
    assert tasks.run_seasons.name == "games.leagues.tasks.run_seasons"
    assert settings.BEAT_SECONDS["games.leagues.tasks.notify_organisers"] == 60
    assert tasks.notify_organisers.name == "games.leagues.tasks.notify_organisers"


def test_the_task_goes_by_the_clock_on_the_wall(wall: Wall) -> None:
    season = world.a_season(world.a_league(world.person("Anna")), opens_at=wall.now + DAY)
    world.reschedule(season)
    assert tasks.run_seasons() == 0
    wall.now += DAY
    assert tasks.run_seasons() == 1


def test_the_task_tells_organisers_what_only_they_can_decide(wall: Wall) -> None:
    anna, *others = world.people(4)
    season = world.a_running_season(anna, [anna, *others], late="organiser", extension_days=0, table_days=10)
    tasks.run_seasons()
    wall.now = LeagueTable.objects.running().get(round__division__season=season).deadline
    assert [tasks.notify_organisers(), tasks.notify_organisers()] == [1, 0]
    assert [email.to_user for email in emails("league_needs")] == [anna]


def test_nothing_to_do_is_nothing_done(wall: Wall) -> None:
    players = world.people(4)
    world.a_running_season(players[0], players)
    assert run_seasons(wall.now) > 0
    assert run_seasons(wall.now) == 0


@pytest.mark.long
def test_a_season_runs_by_itself_from_its_plan_to_the_next(wall: Wall) -> None:
    players = world.people(8)
    season = world.a_season(
        world.a_league(players[0]),
        rounds=2,
        opens_at=wall.now + DAY,
        signup_ends_at=wall.now + 8 * DAY,
        begins_at=wall.now + 12 * DAY,
        pause_days=7,
    )
    world.reschedule(season)
    _pass(wall, DAY)
    assert _state(season) == Season.State.SIGN_UP
    for player in players:
        sign_up(season, player)
    _pass(wall, 7 * DAY)
    assert _state(season) == Season.State.CONFIRMING
    for entry in season.entries.all():
        confirm(entry)
    _pass(wall, timedelta(hours=1))
    assert _state(season) == Season.State.RUNNING
    assert not LeagueTable.objects.exists()
    _pass(wall, 4 * DAY)
    for number in (1, 2):
        round_ = Round.objects.get(number=number)
        assert len(world.finish_all(round_)) == 2
        _pass(wall, timedelta(seconds=10))
    assert _state(season) == Season.State.CLOSED
    assert Standing.objects.count() == 8
    assert recomputed(season) == []
    following = season.league.seasons.get(number=2)
    _pass(wall, 7 * DAY)
    assert _state(following) == Season.State.SIGN_UP
    assert following.entries.filter(state=Registration.State.EXPECTED).count() == 8


def _pass(wall: Wall, span: timedelta) -> None:
    wall.now += span
    while run_seasons(wall.now):
        pass


def _state(season: Season) -> str:
    season.refresh_from_db()
    return season.state


def test_divisions_go_on_by_themselves(wall: Wall) -> None:
    players = world.people(8)
    season = world.a_running_season(
        players[0], players[:4], players[4:], rounds=2, most_divisions=2, division_size=4
    )
    run_seasons(wall.now)
    upper, lower = season.divisions.all()
    world.finish_all(lower.rounds.get(number=1))
    run_seasons(wall.now)
    running = LeagueTable.objects.running().values_list("round__division__level", "round__number")
    assert set(running) == {(upper.level, 1), (lower.level, 2)}


def test_a_season_in_trouble_stops_no_other(wall: Wall, caplog: pytest.LogCaptureFixture) -> None:
    players = world.people(8)
    broken = world.a_running_season(players[0], players[:4])
    sound = world.a_running_season(players[4], players[4:])
    Season.objects.filter(pk=broken.pk).update(seed="no seed")
    run_seasons(wall.now)
    assert not LeagueTable.objects.filter(round__division__season=broken).exists()
    assert LeagueTable.objects.running().filter(round__division__season=sound).count() == 1
    assert "could not go on" in caplog.text


def test_a_division_in_trouble_stops_no_other(wall: Wall, monkeypatch: Any) -> None:
    players = world.people(8)
    world.a_running_season(players[0], players[:4], players[4:], most_divisions=2)
    begin = league_tick.start_tables

    def begin_lower(division: Division, now: Any) -> int:
        if division.level == 1:
            raise RuntimeError("this division is in trouble")
        return begin(division, now)

    monkeypatch.setattr(league_tick, "start_tables", begin_lower)
    run_seasons(wall.now)
    assert [table.round.division.level for table in LeagueTable.objects.running()] == [2]


def test_everything_a_tick_did_is_done_once_by_three(wall: Wall) -> None:
    players = world.people(9)
    season = world.a_running_season(players[0], players, rounds=2)
    for _tick in range(3):
        run_seasons(wall.now)
    assert (LeagueTable.objects.count(), LeagueTable.objects.running().count()) == (4, 2)
    assert (Bye.objects.count(), len(emails("league_table"))) == (0, 9)
    assert season.events.filter(kind=AuditEvent.Kind.ROUND_DRAWN).count() == 2
    assert sorted(table.seats.count() for table in Table.objects.all()) == [4, 5]
