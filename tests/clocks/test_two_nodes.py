"""Two worker nodes enforce the same deadlines: each is enforced once, also if one node dies in the middle."""

from __future__ import annotations

import threading
from contextlib import closing, suppress
from functools import partial
from typing import Any

import pytest
from django.db import connection

from accounts import clock
from accounts.mail.models import OutgoingEmail
from games.clocks.due import DueSeatsCursor
from games.models import Game, Heartbeat, LogEntry, Seat
from games.selectors.integrity import differences
from games.services import tick
from tests.clocks.passing import HOUR, MONDAY, Wall, emails, timed_game
from tests.clocks.racing import at_once
from tests.servers import HANGS

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

GAMES = 4


@pytest.fixture(autouse=True)
def on_postgresql(transactional_db: None) -> None:
    assert connection.vendor == "postgresql"


@pytest.fixture
def overdue(wall: Wall, anna: Any, bruno: Any) -> list[Game]:
    """Games whose players have run out of time, of a site that has sent all emails."""
    begun = [timed_game([anna, bruno], name=f"Table {number}") for number in range(GAMES)]
    Seat.objects.update(remind_at=None)
    OutgoingEmail.objects.update(state="sent")
    wall.now = MONDAY + 96 * HOUR
    Heartbeat.objects.update_or_create(defaults={"at": wall.now})
    return begun


def by_clock(games: list[Game]) -> list[int]:
    """Return how many moves the clock has made in each game."""
    return [LogEntry.objects.filter(game=game, via="clock").count() for game in games]


class DyingNode:
    """A node that dies in the middle of a move: it has written to the log, and not committed that."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, wall: Wall, dies_in: int) -> None:
        """Die in the tick's move with this number, counted from one."""
        self._is_in_the_middle, self._dies = threading.Event(), threading.Event()
        self._wall, self._moves, self._dies_in = wall, 0, dies_in
        self._thread = threading.Thread(target=self._run)
        go_on = tick.continue_game

        def continue_or_die(*facts: Any) -> None:
            if threading.current_thread() is self._thread:
                self._die_if_it_is_time()
            go_on(*facts)

        monkeypatch.setattr(tick, "continue_game", continue_or_die)

    def work(self) -> None:
        """Play until the move in which it dies."""
        self._thread.start()
        assert self._is_in_the_middle.wait(HANGS)

    def die(self) -> None:
        self._dies.set()
        self._thread.join(HANGS)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        with closing(connection), clock.use_clock(self._wall), suppress(SystemExit):
            tick.play_overdue(self._wall.now)

    def _die_if_it_is_time(self) -> None:
        self._moves += 1
        if self._moves == self._dies_in:
            self._is_in_the_middle.set()
            assert self._dies.wait(HANGS)
            connection.connection.close()  # as the system does for a process that was killed
            raise SystemExit


def test_what_a_node_was_doing_when_it_died_is_done_once_by_the_other(
    overdue: list[Game], wall: Wall, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = DyingNode(monkeypatch, wall, dies_in=2)
    node.work()
    monkeypatch.setattr(tick, "_cursor", DueSeatsCursor("due_at"))  # another process has its own
    assert tick.run_tick(wall.now) == GAMES - 2  # without waiting for the one that the first node holds
    assert by_clock(overdue) == [1, 0, 1, 1]
    node.die()
    assert tick.run_tick(wall.now) == 1
    assert tick.run_tick(wall.now) == 0
    _each_is_enforced_once(overdue)


def test_ticks_of_two_beats_at_once_enforce_each_deadline_once(overdue: list[Game], wall: Wall) -> None:
    at_once(wall, *[partial(tick.run_tick, wall.now)] * 2)
    tick.run_tick(wall.now)  # of what each left to the other
    assert tick.run_tick(wall.now) == 0
    _each_is_enforced_once(overdue)


def _each_is_enforced_once(games: list[Game]) -> None:
    assert by_clock(games) == [1] * GAMES
    assert len(emails("time_out")) == GAMES
    assert [differences(game.pk) for game in games] == [[]] * GAMES
