"""A small simulated season comes to its end and keeps what leagues promise; a broken promise is named."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from fractions import Fraction
from pathlib import Path

import pytest
from django.conf import settings
from django.db import transaction

from games.leagues.models import LeagueTable, Registration, Season, Standing
from games.models import LogEntry, SeatChange
from tests.simulation.games.people import Levers
from tests.simulation.leagues import checks, habits
from tests.simulation.leagues.calendar import Calendar, calendar_of
from tests.simulation.leagues.habits import OF_EVERY_RULE, Plan
from tests.simulation.leagues.quick import calendar_of as calendar_of_quick
from tests.simulation.leagues.report import assumed, printed
from tests.simulation.leagues.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.once]

SMALL = Plan(players=4, size=2, tables=2, pace="hours", days=3)


def a_table() -> LeagueTable:
    """One at which no one left their seat."""
    return LeagueTable.objects.filter(table__games__seat_changes=None, awards=None).order_by("pk")[0]


def alter_a_fact() -> None:
    table = a_table()
    table.facts["seats"][0]["regions"] += 1
    table.save()


def seat_somebody_twice_in_a_round() -> None:
    one, other = a_table().round.tables.all()[:2]
    other.assignments.filter(position=0).update(entry=one.assignments.get(position=0).entry)


def take_players_out() -> None:
    a_table().assignments.all().delete()


def seat_who_had_left() -> None:
    table = a_table()
    assert table.begins_at
    out = Registration.objects.filter(assignments__table=table, assignments__position=0)
    out.update(state=Registration.State.WITHDRAWN, out_at=table.begins_at - timedelta(days=1))


def play_on_after_leaving() -> None:
    table = a_table()
    entry, game = table.assignments.get(position=0).entry, table.game_table.games.get()
    SeatChange.objects.create(game=game, seat=0, ply=0, before=entry.user, at=game.started_at)
    LogEntry.objects.filter(game=game, seat=0).update(via=LogEntry.Via.LINK)
    Registration.objects.filter(pk=entry.pk).update(
        state=Registration.State.WITHDRAWN, out_at=game.started_at
    )


def alter_points() -> None:
    Standing.objects.filter(place=1).update(points=str(Fraction(100)))


def play_more_at_once() -> None:
    Season.objects.update(tables_at_once=1)


def forget_a_result() -> None:
    LeagueTable.objects.filter(pk=a_table().pk).update(collected_at=None)


BROKEN: dict[Callable[[], None], str] = {
    alter_a_fact: "its games give",
    seat_somebody_twice_in_a_round: "is in it 2 times",
    take_players_out: "0 people sit in 2 seats",
    seat_who_had_left: "plays after they have left",
    play_on_after_leaving: "played on after they have left",
    alter_points: "its public file gives other points",
    play_more_at_once: "played at 2 tables at once",
    forget_a_result: "it was not played",
}


@pytest.mark.long
def test_a_small_season_ends_keeps_its_promises_and_broken_ones_are_named() -> None:
    world = World(SMALL)
    world.live()
    assert world.problems == []
    calendar = calendar_of(world.season)
    report = "\n".join([*assumed(SMALL), *printed(SMALL, world.season, calendar, world.problems)])
    assert checks.PROMISES[0] in report
    assert "table 2: median" in report
    for breaks, words in BROKEN.items():
        with transaction.atomic():
            breaks()
            season = Season.objects.get()
            assert [told for told in checks.problems(season) if words in told], words
            transaction.set_rollback(True)
    assert "FAILED: something broke" in "\n".join(printed(SMALL, world.season, calendar, ["something broke"]))


def test_the_small_seasons_use_every_rule() -> None:
    for field, column in (
        ("format",) * 2,
        ("scoring",) * 2,
        ("split",) * 2,
        ("bye", "bye_points"),
        ("late",) * 2,
    ):
        choices = Season._meta.get_field(column).choices
        assert {getattr(plan, field) for plan in OF_EVERY_RULE} == {value for value, _name in choices or ()}


def test_quick_seasons_have_calendars_and_begin_tables_as_players_have_room() -> None:
    calendar = calendar_of_quick(Plan(players=4, size=2, tables=2, pace="hours", at_once=1), 1)
    assert [len(days) for _number, days in sorted(calendar.by_table.items())] == [4, 4]
    assert calendar.begins.count(0.0) == 2
    assert len(calendar.begins) == len(calendar.ends) == 4


def test_replies_and_agreed_hours_shorten_tables_of_quick_seasons() -> None:
    usual, replied, agreed = (
        sum(calendar_of_quick(Plan(4, tables=1, levers=Levers(**lever)), 1).lengths)
        for lever in ({}, {"replies": 100}, {"hours": 100})
    )
    assert replied < usual
    assert agreed < usual


@pytest.mark.long
def test_the_command_lets_people_of_a_season_reply_and_agree_on_hours(tmp_path: Path) -> None:
    words = "--quick --players 4 --size 2 --tables 1 --pace hours --replies 100 --hours 90"
    done = subprocess.run(
        [sys.executable, "-m", "tests.simulation", "--league", *words.split()],
        cwd=settings.BASE_DIR,
        env=os.environ | {"STATE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "100 of 100 answer emails by replying" in done.stdout
    assert "90 of 100 tables agree on an hour" in done.stdout


def test_calendars_of_several_seasons_are_added_up() -> None:
    one = Calendar(over=[50.0], by_table={1: [14.0, 21.0]})
    one.add(Calendar(over=[70.0], by_table={1: [28.0]}))
    assert "  table 1: median 3.0, 90th percentile 4.0 (3 players)" in list(one.printed())


def test_the_same_seed_gives_the_same_people() -> None:
    assert habits.roles(SMALL) == habits.roles(SMALL)
    assert habits.roles(Plan(seed=1)) != habits.roles(Plan(seed=2))


@pytest.mark.parametrize(
    "wrong",
    [("--size", "1"), ("--tables", "0"), ("--divisions", "0"), ("--players", "3"), ("--at-once", "9")],
)
@pytest.mark.long
def test_what_no_league_can_plan_is_refused(wrong: tuple[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.simulation", "--league", *wrong],
        cwd=settings.BASE_DIR,
        env=os.environ | {"STATE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "at least" in done.stderr.lower() or "seats" in done.stderr
