"""A clock that is set while the site runs: its tasks wait until it's put back, and then all goes on."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from celery import current_task
from celery._state import _task_stack
from django.conf import settings

from accounts import clock
from accounts.clock_jumps import ClockWatch
from condottiere_site.celery import app
from condottiere_site.health import clock_sign
from games.models import Outage
from tests.clocks.passing import Wall, asked_seat, timed_game
from tests.people import proven

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
NONE = timedelta(0)


class Machine:
    """A machine whose clock can be set."""

    def __init__(self) -> None:
        self.up, self.ahead = timedelta(days=3), NONE
        self.watch = ClockWatch(self._steady)

    def _steady(self) -> float:
        return self.up.total_seconds()

    def pass_by(self, span: timedelta, *, ahead: timedelta | None = None) -> timedelta:
        """Let time pass, with the clock set ahead first; return what the watch says."""
        self.ahead = self.ahead if ahead is None else ahead
        self.up += span
        with clock.use_clock(lambda: NOON + self.up + self.ahead):
            return self.watch.leap()


@pytest.fixture
def machine() -> Machine:
    machine = Machine()
    assert machine.pass_by(MINUTE) == NONE
    return machine


@pytest.mark.parametrize("leap", [6 * MINUTE, HOUR, DAY, 365 * DAY])
def test_a_leap_ahead_is_noticed_at_once_and_its_end_too(machine: Machine, leap: timedelta) -> None:
    assert machine.pass_by(MINUTE, ahead=leap) == leap
    assert machine.pass_by(MINUTE) == leap
    assert machine.pass_by(MINUTE, ahead=NONE) == NONE


def test_corrections_are_no_leaps_however_many(machine: Machine) -> None:
    for second in range(0, 3600, 30):
        assert machine.pass_by(MINUTE, ahead=timedelta(seconds=second)) == NONE


def test_a_machine_that_stood_still_waits_an_hour_at_most(machine: Machine) -> None:
    assert machine.pass_by(MINUTE, ahead=3 * DAY) == 3 * DAY
    assert machine.pass_by(59 * MINUTE) == 3 * DAY
    assert machine.pass_by(MINUTE) == NONE
    assert machine.pass_by(DAY) == NONE


def test_after_a_short_leap_the_wait_is_as_short(machine: Machine) -> None:
    assert machine.pass_by(MINUTE, ahead=10 * MINUTE) == 10 * MINUTE
    assert machine.pass_by(10 * MINUTE) == NONE


def test_a_year_ahead_is_never_taken_as_right(machine: Machine) -> None:
    assert machine.pass_by(MINUTE, ahead=365 * DAY) == 365 * DAY
    assert machine.pass_by(30 * DAY) == 365 * DAY


@pytest.mark.parametrize("after", [MINUTE, 2 * HOUR])
def test_a_clock_that_was_behind_may_be_put_right_whenever(machine: Machine, after: timedelta) -> None:
    assert machine.pass_by(MINUTE, ahead=-365 * DAY) == -365 * DAY
    machine.pass_by(after)
    assert machine.pass_by(MINUTE, ahead=NONE) == NONE


def test_a_clock_that_is_behind_holds_nothing_up(machine: Machine) -> None:
    machine.pass_by(MINUTE, ahead=-HOUR)
    with clock.use_clock(lambda: NOON + machine.up + machine.ahead):
        assert not machine.watch.is_ahead()


@pytest.mark.parametrize(
    ("leap", "words"),
    [
        (
            HOUR,
            "set ahead by 1:00:00 while the site runs: nothing is sent or enforced until it is put back, or",
        ),
        (365 * DAY, "until it is put back; if it is right now, restart the site"),
        (-HOUR, "set back by 1:00:00 while the site runs"),
    ],
)
def test_the_log_has_one_sentence_for_a_leap_and_one_for_its_end(
    machine: Machine, caplog: pytest.LogCaptureFixture, leap: timedelta, words: str
) -> None:
    with caplog.at_level(logging.INFO):
        for _ in range(5):
            machine.pass_by(MINUTE, ahead=leap)
        for _ in range(5):
            machine.pass_by(MINUTE, ahead=NONE)
    first, last = [record.getMessage() for record in caplog.records]
    assert words in first
    assert "taken as right again" in last


def test_the_sign_tells_how_far_it_is(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock_sign, "watch", machine.watch)
    for ahead, failed in ((NONE, False), (-HOUR, True), (NONE, False), (HOUR, True)):
        machine.pass_by(MINUTE, ahead=ahead)
        with clock.use_clock(lambda: NOON + machine.up + machine.ahead):
            (sign,) = clock_sign.clock_signs()
        assert (sign.failed, sign.value) == (failed, abs(ahead.total_seconds()))


@pytest.fixture
def ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.clock_jumps.watch.leap", lambda: HOUR)


def task_of(name: str) -> Any:
    app.loader.import_default_modules()
    return app.tasks[name]


def run_in_a_worker(name: str) -> object:
    """Run a task as a worker does, which isn't called directly."""
    task = task_of(name)
    _task_stack.push(task)
    task.push_request(called_directly=False)
    try:
        return task()
    finally:
        task.pop_request()
        _task_stack.pop()


@pytest.mark.parametrize("name", settings.BEAT_SECONDS)
def test_while_the_clock_is_ahead_all_tasks_but_its_own_wait(
    ahead: None, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(task_of(name), "run", lambda: "ran")
    assert run_in_a_worker(name) == ("ran" if name == "games.tasks.run_clock" else None)


def test_a_task_of_a_worker_knows_its_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """By it the runs of tasks are stored, and a leap of the clock is looked at."""
    name = "games.tasks.remind"
    monkeypatch.setattr(task_of(name), "run", lambda: current_task.request.called_directly)
    assert run_in_a_worker(name) is False
    assert task_of(name)() is True


def test_the_clock_gives_time_back_meanwhile_and_plays_for_no_one(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, bruno = proven("anna@example.org", "Anna"), proven("bruno@example.org", "Bruno")
    wall = Wall()
    with clock.use_clock(wall):
        game = timed_game([anna, bruno])
        wall.tick()
        overdue = asked_seat(game)
        type(overdue).objects.filter(pk=overdue.pk).update(due_at=wall.now, counted_from=wall.now - 30 * DAY)
        monkeypatch.setattr("accounts.clock_jumps.watch.leap", lambda: HOUR)
        wall.now += HOUR
        assert run_in_a_worker("games.tasks.run_clock") == 0
        assert Outage.objects.get().end == wall.now
        assert not game.log.filter(via="clock").exists()
