"""Random seasons with holidays, skips and pauses: after every tick nothing is left due, lost or unsound."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from io import StringIO
from random import Random
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command

from accounts.availability import announce_holiday, cancel_holiday
from accounts.models import User
from games.leagues.integrity import recomputed
from games.leagues.models import AuditEvent, LeagueTable, Registration, Season
from games.leagues.services.league_pause import pause_league, resume_league
from games.leagues.services.league_tick import run_seasons
from games.leagues.services.ready_tables import next_round
from games.leagues.services.skipping import skip, undo_skip
from games.leagues.services.withdrawals import withdraw
from games.services import Refused
from tests.clocks.passing import Wall
from tests.leagues import world
from tests.leagues.world import DAY
from tests.stale_copies import stale_saves

pytestmark = pytest.mark.django_db

MOST_TICKS = 20  # in a row, each with something to do


def run_ticks(wall: Wall) -> None:
    """Run ticks until one has nothing to do."""
    for _tick in range(MOST_TICKS):
        if not run_seasons(wall.now):
            return
    raise AssertionError("each tick finds something to do")


def is_due(season: Season, wall: Wall) -> bool:
    due = Season.objects.values_list("next_action_at", flat=True).get(pk=season.pk)
    return due is not None and due <= wall.now


def season_of_eight(**plan: Any) -> tuple[Season, list[User]]:
    players = world.people(8)
    small = {"size": 4, "rounds": 2, "tables_at_once": 2, "table_days": 8, "extension_days": 0}
    return world.a_running_season(players[0], players, **(small | plan)), players


def announce(wall: Wall, user: User, ahead: int, days: int) -> None:
    first = wall.now.date() + timedelta(days=ahead)
    announce_holiday(user, first, first + timedelta(days=days))


def test_someone_away_as_two_tables_begin_is_recorded_as_left_out_of_both(wall: Wall) -> None:
    season, players = season_of_eight()
    announce(wall, players[3], 1, 30)
    wall.now += DAY
    run_ticks(wall)
    assert len(LeagueTable.objects.planned()) == 2
    wall.now += season.away_days * DAY
    run_ticks(wall)
    assert season.entries.get(user=players[3]).skipped == [1, 2]
    assert season.events.filter(kind=AuditEvent.Kind.LEFT_OUT).count() == 2
    call_command("check_leagues", stdout=StringIO())


def test_a_holiday_announced_after_a_table_had_waited_leaves_nothing_due(
    wall: Wall, django_assert_max_num_queries: Any
) -> None:
    season, players = season_of_eight()
    announce(wall, players[3], 1, 1)
    wall.now += DAY
    run_ticks(wall)
    wall.now += 2 * DAY
    run_ticks(wall)
    assert not LeagueTable.objects.planned().exists()
    announce(wall, players[5], 3, 3)
    run_ticks(wall)
    assert not is_due(season, wall)
    with django_assert_max_num_queries(21):
        run_seasons(wall.now)


Act = Callable[[Wall, Season, Registration, Random], object]


def _goes_away(wall: Wall, _season: Season, entry: Registration, rng: Random) -> None:
    announce(wall, entry.user, rng.randint(1, 4), rng.randint(0, 6))


def _stays_after_all(_wall: Wall, _season: Season, entry: Registration, _rng: Random) -> None:
    for holiday in entry.user.holidays.all():
        cancel_holiday(entry.user, holiday.pk)


def _skips(_wall: Wall, _season: Season, entry: Registration, rng: Random) -> None:
    number = next_round(entry)
    if number is not None:
        rng.choice((skip, undo_skip))(entry, number)


def _withdraws(_wall: Wall, _season: Season, entry: Registration, rng: Random) -> None:
    if rng.random() < 0.3:
        withdraw(entry)


def _pauses(wall: Wall, season: Season, _entry: Registration, rng: Random) -> None:
    organiser = season.league.organisers.get().user
    if rng.random() < 0.5:
        pause_league(season.league, organiser, wall.now + rng.randint(1, 3) * DAY, "A pause")
    else:
        resume_league(season.league, organiser, "We go on")


ACTS: tuple[Act, ...] = (_goes_away, _goes_away, _goes_away, _stays_after_all, _skips, _withdraws, _pauses)


SEEDS = [pytest.param(seed, marks=pytest.mark.long) if seed else seed for seed in range(12)]


@pytest.mark.parametrize("seed", SEEDS)
def test_after_every_tick_of_a_random_season_nothing_is_due_and_nothing_lost(
    wall: Wall, seed: int, long: bool
) -> None:
    rng = Random(seed)
    season, _players = season_of_eight(
        size=rng.choice((3, 4)),
        rounds=3,
        tables_at_once=rng.choice((1, 2, 3)),
        format=rng.choice((Season.Format.SWISS, Season.Format.BALANCED)),
    )
    with stale_saves() as stale:
        for _day in range(25 if long else 12):
            entry = rng.choice(list(season.entries.select_related("user", "division")))
            with suppress(Refused, ValidationError):
                rng.choice(ACTS)(wall, season, entry, rng)
            run_ticks(wall)
            assert not is_due(season, wall)
            assert recomputed(Season.objects.get(pk=season.pk)) == []
            wall.now += rng.choice((DAY, 2 * DAY, DAY / 3))
    assert stale == []
