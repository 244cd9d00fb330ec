"""An outage counts for no one, and a clock that is set back harms no one."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from games import services
from games.models import Heartbeat, LogEntry, Outage
from games.services import tick
from tests.clocks.passing import HOUR, MONDAY, TICK, Wall, asked_seat, timed_game

pytestmark = pytest.mark.django_db


def run(wall: Wall, at: datetime) -> int:
    """Run one tick at this moment, with none since the last."""
    wall.now = at
    return tick.run_tick(at)


def test_the_first_tick_of_a_site_finds_no_outage(wall: Wall, anna: Any, bruno: Any) -> None:
    timed_game([anna, bruno])
    run(wall, MONDAY + HOUR)
    assert not Outage.objects.exists()
    assert Heartbeat.objects.get().at == MONDAY + HOUR


def test_time_in_which_nothing_ticked_is_given_back(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    run(wall, MONDAY + HOUR)
    run(wall, MONDAY + 7 * HOUR)
    seat = asked_seat(game)
    assert (seat.counted_from, seat.time_left) == (MONDAY + 7 * HOUR, 23 * HOUR)
    assert seat.due_at == MONDAY + 96 * HOUR + 6 * HOUR
    event = game.time_events.get()
    assert (event.kind, event.seat, event.amount) == ("credited", None, 6 * HOUR)
    assert (Outage.objects.get().start, Outage.objects.get().end) == (MONDAY + HOUR, MONDAY + 7 * HOUR)


def test_a_deadline_within_an_outage_is_not_enforced_when_it_ends(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    run(wall, MONDAY + 95 * HOUR)
    assert run(wall, MONDAY + 300 * HOUR) == 0
    assert not LogEntry.objects.filter(game=game, via="clock").exists()
    assert asked_seat(game).due_at == MONDAY + 301 * HOUR


def test_ticks_that_come_regularly_are_no_outage(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    for minutes in range(0, 60, 5):
        run(wall, MONDAY + timedelta(minutes=minutes))
    assert not Outage.objects.exists()
    assert asked_seat(game).due_at == MONDAY + 96 * HOUR


def test_an_outage_is_given_back_once_by_two_ticks(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    run(wall, MONDAY + HOUR)
    run(wall, MONDAY + 7 * HOUR)
    run(wall, MONDAY + 7 * HOUR)
    assert game.time_events.count() == 1


def test_of_a_closed_night_nothing_is_given_back(wall: Wall, anna: Any, bruno: Any) -> None:
    for person in (anna, bruno):
        person.quiet_from, person.quiet_until = "13:00", "19:00"
        person.save()
    game = timed_game([anna, bruno])
    before = asked_seat(game).due_at
    run(wall, MONDAY + HOUR)
    run(wall, MONDAY + 7 * HOUR)
    assert asked_seat(game).due_at == before


def test_a_paused_game_is_given_nothing(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno], time_by="host")
    run(wall, MONDAY + HOUR)
    services.host_pauses(game, anna, 7)
    before = asked_seat(game).due_at
    run(wall, MONDAY + 30 * HOUR)
    assert asked_seat(game).due_at == before
    assert not game.time_events.filter(kind="credited").exists()


def test_one_broken_game_keeps_no_other_from_its_time(
    wall: Wall, anna: Any, bruno: Any, carla: Any, dario: Any
) -> None:
    broken, sound = timed_game([anna, bruno]), timed_game([carla, dario], name="Another")
    type(anna).objects.filter(pk__in=(anna.pk, bruno.pk)).update(days_off=[0, 1, 2, 3, 4, 5, 6])
    run(wall, MONDAY + HOUR)
    run(wall, MONDAY + 7 * HOUR)
    assert asked_seat(sound).due_at == MONDAY + 102 * HOUR
    assert not broken.time_events.exists()


def test_a_clock_put_back_makes_no_deadline_earlier(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    run(wall, MONDAY + 90 * HOUR)
    run(wall, MONDAY + 80 * HOUR)
    assert asked_seat(game).due_at == MONDAY + 96 * HOUR
    assert Heartbeat.objects.get().at == MONDAY + 80 * HOUR


def test_a_clock_that_leapt_ahead_and_was_put_back_costs_no_one_a_year(
    wall: Wall, anna: Any, bruno: Any
) -> None:
    game = timed_game([anna, bruno])
    run(wall, MONDAY + 10 * HOUR)
    run(wall, MONDAY + timedelta(days=365))
    run(wall, MONDAY + 10 * HOUR + TICK)
    seat = asked_seat(game)
    assert (seat.counted_from, seat.time_left) == (MONDAY + 10 * HOUR + TICK, 14 * HOUR)


def test_machines_whose_clocks_differ_a_little_disturb_nothing(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    for second in (0, 40, 10, 50, 20, 60):
        run(wall, MONDAY + timedelta(seconds=second))
    assert asked_seat(game).counted_from == MONDAY
    assert Heartbeat.objects.get().at == MONDAY + timedelta(seconds=60)


def test_an_operator_gives_time_back(wall: Wall, anna: Any, bruno: Any, capsys: Any) -> None:
    game = timed_game([anna, bruno])
    wall.now = MONDAY + 20 * HOUR
    call_command("credit_outage", "2026-03-02T14:00", "2026-03-02T18:30+00:00")
    assert asked_seat(game).due_at == MONDAY + 100 * HOUR + timedelta(minutes=30)
    assert "1 game" in capsys.readouterr().out
    call_command("credit_outage", "2026-03-02T14:00", "2026-03-02T18:30")
    assert asked_seat(game).due_at == MONDAY + 100 * HOUR + timedelta(minutes=30)


def test_of_an_outage_the_time_since_the_decision_is_given_back(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    wall.now = MONDAY + 20 * HOUR
    call_command("credit_outage", "2026-03-02T09:00", "2026-03-02T14:00+00:00")
    assert asked_seat(game).due_at == MONDAY + 98 * HOUR


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2026-03-02T18:00", "2026-03-02T14:00"),
        ("2026-03-02T14:00", "2026-03-09T14:00"),
        ("yesterday", "2026-03-02T14:00"),
        ("0001-01-01T00:00", "2026-03-02T14:00"),
        ("0001-01-01T00:00+14:00", "2026-03-02T14:00"),
        ("2026-03-02T14:00", "9999-12-31T23:59"),
        ("2026-03-02T14:00", "9999-12-31T23:59-14:00"),
        ("2024-03-02T14:00", "2026-03-02T14:00"),
    ],
)
def test_an_operator_is_refused_what_is_no_outage(wall: Wall, db: None, start: str, end: str) -> None:
    wall.now = MONDAY + 20 * HOUR
    with pytest.raises(CommandError):
        call_command("credit_outage", start, end)
    assert not Outage.objects.exists()


@pytest.mark.parametrize(("start", "words"), [("2026-03-29T02:15", "exist"), ("2025-10-26T02:15", "twice")])
def test_an_operator_is_asked_which_time_is_meant_when_clocks_change(
    wall: Wall, db: None, settings: Any, start: str, words: str
) -> None:
    settings.TIME_ZONE = "Europe/Rome"
    wall.now = MONDAY + timedelta(days=30)
    with pytest.raises(CommandError, match=f"{words}.*Or add the time zone's offset, such as {start}.01:00"):
        call_command("credit_outage", start, "2026-03-29T12:00")
    assert not Outage.objects.exists()
    call_command("credit_outage", f"{start}+01:00", "2026-03-29T12:00")
    assert Outage.objects.exists()
