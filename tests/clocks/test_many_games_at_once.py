"""An outage of many games, and many deadlines at once: no move waits for them, and nothing is lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts import clock
from accounts.mail.models import OutgoingEmail
from games import services, tasks
from games.clocks.outages import beat_heart
from games.models import Game, Heartbeat, LogEntry, Outage, Seat, TimeEvent
from games.models.replay import replayed
from games.rules import legal_moves
from games.selectors.integrity import differences
from games.services import tick
from games.services.reminders import remind_due
from tests.clocks.passing import HOUR, MONDAY, Wall, answer, asked_seat, emails, timed_game
from tests.servers import HANGS

GAMES = 4
OUTAGE = 6 * HOUR
DOWN, UP = MONDAY + HOUR, MONDAY + 7 * HOUR  # everyone was asked on Monday at noon
DUE = MONDAY + 96 * HOUR


@pytest.fixture
def games(wall: Wall, anna: Any, bruno: Any) -> list[Game]:
    """Some games with a clock; the site ticked an hour after they began, then was down."""
    begun = [timed_game([anna, bruno], name=f"Table {number}") for number in range(GAMES)]
    Seat.objects.update(remind_at=None)
    tick.run_tick(DOWN)
    wall.now = UP
    return begun


def soon_over(after: int) -> Any:
    """Say that time is over after this many calls."""
    asked = iter(range(10_000))
    return lambda: next(asked) >= after


def first_move(game: Game) -> tuple[Seat, str]:
    seat = asked_seat(game)
    fresh = Game.objects.select_related("table").get(pk=game.pk)
    return seat, str(legal_moves(replayed(fresh).state, seat.number)[0])


@pytest.mark.django_db
class TestAnOutageThatIsGivenBackPieceByPiece:
    def test_each_tick_goes_on_where_the_last_one_ended(self, games: list[Game]) -> None:
        for ticks in range(GAMES + 1):
            assert TimeEvent.objects.filter(kind="credited").count() == ticks
            tick.run_tick(UP, soon_over(1))
        assert TimeEvent.objects.filter(kind="credited").count() == GAMES
        assert {asked_seat(game).due_at for game in games} == {DUE + OUTAGE}
        assert Outage.objects.count() == 1
        assert not Outage.objects.open().exists()

    def test_one_that_is_not_given_back_yet_enforces_no_deadline(self, games: list[Game]) -> None:
        beat_heart(UP)
        assert tick.play_overdue(DUE + OUTAGE - timedelta(seconds=1)) == 0
        assert tick.play_overdue(DUE + OUTAGE) == 0  # of this tick's emails none has gone out
        assert not LogEntry.objects.filter(via="clock").exists()
        assert {asked_seat(game).due_at for game in games} == {DUE + OUTAGE}

    def test_it_takes_nothing_from_the_reserve_of_a_player_who_answers_before(
        self, wall: Wall, games: list[Game]
    ) -> None:
        Seat.objects.filter(due_at__isnull=False).update(time_left=2 * HOUR)
        beat_heart(UP)
        seat, move = first_move(games[0])
        answer(games[0], seat, move)
        seat.refresh_from_db()
        assert seat.reserve == 72 * HOUR
        tick.run_tick(UP)
        assert games[0].time_events.filter(kind="credited").count() == 1

    def test_it_is_no_reason_to_remind_of_a_deadline_that_moved(self, games: list[Game]) -> None:
        Seat.objects.filter(due_at__isnull=False).update(remind_at=DUE - HOUR, due_at=DUE)
        OutgoingEmail.objects.update(state="sent")
        beat_heart(UP)
        remind_due(DUE - HOUR)
        assert {seat.due_at for seat in map(asked_seat, games)} == {DUE + OUTAGE}

    def test_a_second_outage_before_the_first_is_given_back_adds_to_it(self, games: list[Game]) -> None:
        tick.run_tick(UP, soon_over(1))
        tick.run_tick(UP + 4 * HOUR, soon_over(2))
        for _ in range(GAMES):
            tick.run_tick(UP + 4 * HOUR, soon_over(2))
        assert Outage.objects.count() == 2
        assert {asked_seat(game).due_at for game in games} == {DUE + OUTAGE + 4 * HOUR}

    def test_two_of_them_take_nothing_from_the_reserve_either(self, wall: Wall, games: list[Game]) -> None:
        Seat.objects.filter(due_at__isnull=False).update(time_left=2 * HOUR)
        beat_heart(UP)
        wall.now = UP + 4 * HOUR
        beat_heart(wall.now)
        seat, move = first_move(games[0])
        answer(games[0], seat, move)
        seat.refresh_from_db()
        assert seat.reserve == 72 * HOUR
        assert games[0].time_events.filter(kind="credited").count() == 2

    def test_a_pass_of_an_hour_is_no_outage(
        self, wall: Wall, games: list[Game], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """While one tick gives time back, the others record that the site is up."""

        def an_hour_passes() -> bool:
            for _ in range(12):
                wall.now += timedelta(minutes=5)
                assert tasks.run_clock() is None
            return False

        monkeypatch.setattr(tasks, "after_a_tick", lambda: an_hour_passes)
        tasks.run_clock()
        assert wall.now > UP + HOUR
        assert Outage.objects.count() == 1
        assert {asked_seat(game).due_at for game in games} == {DUE + OUTAGE}

    def test_an_outage_by_a_clock_that_was_put_back_is_given_to_no_more_games(
        self, wall: Wall, games: list[Game]
    ) -> None:
        tick.run_tick(MONDAY + timedelta(days=365), soon_over(2))
        wall.now = MONDAY + 2 * HOUR
        tick.run_tick(wall.now)
        assert {asked_seat(game).due_at for game in games[2:]} == {DUE}
        assert max(asked_seat(game).due_at for game in games) == DUE + HOUR

    def test_paused_games_are_left_as_they_are_by_a_clock_that_is_put_back(
        self, wall: Wall, anna: Any, bruno: Any
    ) -> None:
        game = timed_game([anna, bruno], time_by="host")
        services.host_pauses(game, anna, 7)
        before = asked_seat(game).counted_from
        tick.run_tick(MONDAY + HOUR)
        tick.run_tick(MONDAY)
        assert asked_seat(game).counted_from == before


@pytest.mark.django_db(transaction=True)
@pytest.mark.once
class TestMovesWhileAnOutageIsGivenBack:
    @pytest.fixture(autouse=True)
    def on_postgresql(self, transactional_db: None) -> None:
        assert connection.vendor == "postgresql"

    def test_no_transaction_holds_more_than_one_game(self, games: list[Game]) -> None:
        with CaptureQueriesContext(connection) as captured:
            tick.run_tick(UP)
        assert TimeEvent.objects.filter(kind="credited").count() == GAMES
        assert max(_games_held([query["sql"] for query in captured])) == 1

    def test_moves_are_accepted_in_all_other_games(self, wall: Wall, games: list[Game]) -> None:
        """Another transaction locks one game, so the pass waits in the middle."""
        with _held(games[2]):
            passing = threading.Thread(target=partial(_pass, wall))
            passing.start()
            _wait_for_a_lock()
            for number in (0, 1, 3):
                seat, move = first_move(games[number])
                with transaction.atomic(), connection.cursor() as cursor:
                    cursor.execute("SET LOCAL lock_timeout = '1s'")
                    answer(games[number], seat, move)
        passing.join(HANGS)
        assert not passing.is_alive()
        assert TimeEvent.objects.filter(kind="credited").count() == GAMES
        assert all(differences(game.pk) == [] for game in games)


def _games_held(statements: list[str]) -> Iterator[int]:
    """Return how many rows of games each transaction locks."""
    held = 0
    for statement in statements:
        if statement in ("COMMIT", "ROLLBACK"):
            yield held
            held = 0
        held += "FOR UPDATE OF" in statement and '"games_game"' in statement


def _pass(wall: Wall) -> None:
    try:
        with clock.use_clock(wall):
            tick.run_tick(wall.now)
    finally:
        connection.close()


@contextmanager
def _held(game: Game) -> Iterator[None]:
    """Hold a lock on this game's row."""
    holds, over = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic():
                Game.objects.select_for_update().get(pk=game.pk)
                holds.set()
                over.wait(HANGS)
        finally:
            connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    assert holds.wait(HANGS)
    try:
        yield
    finally:
        over.set()
        thread.join(HANGS)


def _wait_for_a_lock() -> None:
    from tests.servers import wait_until

    def somebody_waits() -> bool:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            return bool(cursor.fetchone()[0])

    wait_until(somebody_waits, "the pass to reach the game that is held")


@pytest.mark.django_db
class TestManyDeadlinesAtOnce:
    @pytest.fixture
    def overdue(self, wall: Wall, anna: Any, bruno: Any) -> list[Game]:
        begun = [timed_game([anna, bruno], name=f"Table {number}") for number in range(GAMES)]
        Seat.objects.update(remind_at=None)
        OutgoingEmail.objects.update(state="sent")
        wall.now = DUE
        Heartbeat.objects.update_or_create(defaults={"at": DUE})
        return begun

    def test_each_tick_plays_on_where_the_last_one_ended(self, overdue: list[Game]) -> None:
        assert [tick.run_tick(DUE, soon_over(2)) for _ in range(4)] == [2, 2, 0, 0]
        assert LogEntry.objects.filter(via="clock").count() == GAMES

    def test_games_that_cannot_be_played_yet_keep_no_other_from_its_turn(
        self, wall: Wall, overdue: list[Game]
    ) -> None:
        for game in overdue[:2]:
            of_decision = OutgoingEmail.objects.filter(key__startswith=f"your_turn:{game.pk}:")
            assert of_decision.update(state="queued", not_before=MONDAY)
        assert sum(tick.run_tick(DUE, soon_over(2)) for _ in range(4)) == 2
        assert len(emails("time_out")) == 2
