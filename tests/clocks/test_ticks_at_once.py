"""Ticks, moves and changes at one moment, on PostgreSQL: each has one effect, and nothing is lost."""

from __future__ import annotations

from datetime import time, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection

from accounts import availability
from games import services
from games.models import Game, Heartbeat, LogEntry, Outage, Seat
from games.models.replay import replayed
from games.rules import legal_moves
from games.selectors.integrity import differences
from games.services import tick
from tests.clocks.passing import HOUR, MONDAY, TICK, Wall, asked_seat, emails, seat_of, timed_game
from tests.clocks.racing import TIMES, at_once
from tests.games.playing import submit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]


@pytest.fixture(autouse=True)
def on_postgresql(transactional_db: None) -> None:
    assert connection.vendor == "postgresql"


def overdue_game(wall: Wall, people: list[Any], name: str, **terms: Any) -> Game:
    wall.now = MONDAY
    Seat.objects.update(due_at=None, remind_at=None)
    game = timed_game(people, name=name, **terms)
    wall.pass_to(MONDAY + 96 * HOUR - TICK)
    wall.now = MONDAY + 96 * HOUR
    return game


@pytest.mark.long
def test_two_ticks_play_once(wall: Wall, anna: Any, bruno: Any) -> None:
    for turn in range(TIMES):
        game = overdue_game(wall, [anna, bruno], f"Table {turn}")
        ticks = [partial(tick.play_overdue, wall.now)] * 3
        assert sorted(at_once(wall, *ticks)) == [0, 0, 1]
        assert LogEntry.objects.filter(game=game, via="clock").count() == 1
        assert len(emails("time_out")) == turn + 1
        assert differences(game.pk) == []


def test_a_tick_and_an_answer_make_one_move(wall: Wall, anna: Any, bruno: Any) -> None:
    for turn in range(TIMES):
        game = overdue_game(wall, [anna, bruno], f"Table {turn}")
        seat = asked_seat(Game.objects.get(pk=game.pk))
        assert seat.decision_step is not None
        decision_step, move = seat.decision_step, legal_moves(replayed(game).state, seat.number)[0]
        played, answered = at_once(
            wall,
            partial(tick.play_overdue, wall.now),
            partial(submit, game, seat.number, move, decision_step, "web"),
        )
        entries = LogEntry.objects.filter(game=game, seat=seat.number, decision_step=decision_step)
        assert entries.count() == 1
        by_clock = entries.get().via == "clock"
        assert played == int(by_clock)
        same = entries.get().move == str(move)
        assert isinstance(answered, services.Played if same or not by_clock else services.AlreadyPlayed)
        assert differences(game.pk) == []


def test_two_first_ticks_and_two_after_an_outage_give_time_back_once(
    wall: Wall, anna: Any, bruno: Any
) -> None:
    for turn in range(TIMES):
        Seat.objects.update(due_at=None, remind_at=None)
        Heartbeat.objects.all().delete()
        wall.now = MONDAY
        game = timed_game([anna, bruno], name=f"Table {turn}")
        at_once(wall, *[partial(tick.run_tick, wall.now)] * 3)
        assert Heartbeat.objects.count() == 1
        wall.now = MONDAY + 6 * HOUR
        at_once(wall, *[partial(tick.run_tick, wall.now)] * 3)
        assert Outage.objects.count() == turn + 1
        assert game.time_events.count() == 1
        assert asked_seat(game).due_at == MONDAY + 102 * HOUR


@pytest.mark.long
def test_being_back_and_a_tick_leave_a_sound_game(wall: Wall, anna: Any, bruno: Any, carla: Any) -> None:
    for turn in range(TIMES):
        game = overdue_game(wall, [anna, bruno, carla], f"Table {turn}", most_misses=1)
        away = next(seat for seat in game.table.seats.all() if seat.number != asked_seat(game).number)
        Seat.objects.filter(pk=away.pk).update(played_by_bot="captain")
        done = at_once(
            wall,
            partial(tick.play_overdue, wall.now),
            partial(services.come_back, seat_of(game, away.number)),
            partial(services.come_back, seat_of(game, away.number)),
        )
        assert not [error for error in done if isinstance(error, Exception)]
        assert seat_of(game, away.number).played_by_bot == ""
        assert game.time_events.filter(kind="back").count() == 1
        assert differences(game.pk) == []


@pytest.mark.long
def test_a_seat_of_someone_who_stays_away_is_taken_by_one_of_two_or_by_themselves(
    wall: Wall, anna: Any, bruno: Any, carla: Any, dario: Any, elena: Any
) -> None:
    for turn in range(TIMES):
        game = overdue_game(wall, [anna, bruno, carla], f"Table {turn}", absent="offer")
        away = seat_of(game, (asked_seat(game).number + 1) % 3)
        Seat.objects.filter(pk=away.pk).update(played_by_bot="captain")
        away.refresh_from_db()
        at_once(
            wall,
            partial(services.take_absent_seat, away, dario),
            partial(services.take_absent_seat, away, elena),
            partial(services.come_back, away),
        )
        seat = seat_of(game, away.number)
        assert seat.played_by_bot == ""
        assert seat.user in (dario, elena, away.user)
        assert game.seat_changes.count() == (seat.user != away.user)
        assert differences(game.pk) == []


def test_a_change_of_calendar_and_a_tick_are_never_early(wall: Wall, anna: Any, bruno: Any) -> None:
    for turn in range(TIMES):
        for person in (anna, bruno):
            availability.change(person, quiet_from=None, quiet_until=None, days_off=[])
        game = overdue_game(wall, [anna, bruno], f"Table {turn}")
        seat = asked_seat(game)
        is_due = turn % 2 == 0
        wall.now -= timedelta(0) if is_due else TICK
        played, _changed = at_once(
            wall,
            partial(tick.play_overdue, wall.now),
            partial(
                availability.change, seat.person, quiet_from=time(0), quiet_until=time(9), days_off=[5, 6]
            ),
        )
        assert played in ((0, 1) if is_due else (0,))
        assert differences(game.pk) == []
