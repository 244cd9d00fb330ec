"""Strategist at tables: it thinks outside requests and locks, and Captain plays where there is no thought."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from time import sleep
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client

from accounts import clock
from games.bots import choose, thinker
from games.bots.strategist import KnownCards
from games.bots.strategist.weights import read_weights
from games.bots.thinker import think_of_move
from games.models import Game, LogEntry, Seat
from games.models.replay import replayed
from games.rules import Options, Phase, State, apply, new_game, observe, parse_move, pending
from games.services import strategist, thinking_process
from games.services.automatic_moves import _at_once as at_once
from games.services.progress import Progress
from games.services.thinking_process import THINKER, NoThought, ThinkingProcess
from games.tasks import run_clock, think
from tests.practice.playing_as_a_guest import begun, decision_step, eager, offered
from tests.rules.random_play import random_game

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def process_ends() -> Iterator[None]:
    yield
    THINKER.stop()


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Think in this process and briefly; tests of the process itself ask for it."""
    monkeypatch.setattr(thinker, "PLAYOUTS", 4)
    monkeypatch.setattr(THINKER, "ask", lambda function, *arguments: function(*arguments))


def asked_strategist() -> Seat:
    return Seat.objects.get(bot="strategist", asked_since__isnull=False)


def thinking() -> int:
    return Seat.objects.filter(bot="strategist", asked_since__isnull=False).count()


def play_until_it_thinks(client: Client, path: str, seats: int = 1) -> None:
    """Play at a practice table until so many Strategists must decide."""
    for _ in range(60):
        if thinking() == seats:
            return
        page = client.get(path).content.decode()
        move = eager(offered(page))
        client.post(f"{path}move/", {"move": move, "decision_step": decision_step(page)})
    raise AssertionError("it never had to think")


@pytest.fixture
def path(client: Client) -> str:
    address = begun(client, 1, "strategist")
    play_until_it_thinks(client, address)
    return address


def last_entry() -> LogEntry:
    entry = LogEntry.objects.filter(seat__isnull=False).order_by("ply").last()
    assert entry is not None
    return entry


def test_no_request_plays_for_it_and_the_task_does(client: Client, path: str) -> None:
    page = client.get(path).content.decode()
    assert "Strategist is thinking: " in page
    assert '<noscript><meta http-equiv="refresh"' in page
    assert 'hx-trigger="every 1s' in page
    seat, before = asked_strategist(), Game.objects.get().ply
    assert think() >= 1
    entry = LogEntry.objects.get(seat=seat.number, decision_step=seat.decision_step)
    assert (entry.via, entry.ply) == (LogEntry.Via.BOT, before)
    assert entry.chosen_by == LogEntry.ChosenBy.STRATEGIST
    page = client.get(path).content.decode()
    assert "is thinking" not in page
    assert 'http-equiv="refresh"' not in page
    assert not thinking()


def test_no_row_is_locked_while_it_thinks(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    open_transactions = list[int]()

    def ask(function: Any, *arguments: Any) -> Any:
        open_transactions.append(len(connection.savepoint_ids))
        return function(*arguments)

    outside = len(connection.savepoint_ids)
    monkeypatch.setattr(THINKER, "ask", ask)
    think()
    assert open_transactions
    assert set(open_transactions) == {outside}


def test_a_thought_is_dropped_once_the_game_has_moved_on(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seat, game = asked_strategist(), Game.objects.get()

    def ask(function: Any, *arguments: Any) -> Any:
        strategist.play_for_late_thoughts(clock.now() + strategist.THOUGHT_LASTS)
        return function(*arguments)

    monkeypatch.setattr(THINKER, "ask", ask)
    strategist._done_or_logged(seat, strategist._thought)
    answers = LogEntry.objects.filter(game=game, seat=seat.number, decision_step=seat.decision_step)
    assert answers.count() == 1
    state = replayed(Game.objects.get()).state
    assert state.ply == Game.objects.get().ply


def test_a_game_that_ended_meanwhile_stays_as_it_is(anna: Any, signed_in: Any, path: str) -> None:
    seat = asked_strategist()
    game = Game.objects.get()
    Game.objects.filter(pk=game.pk).update(ended_at=clock.now(), ended=Game.Ended.ABANDONED)
    assert not strategist._done_or_logged(seat, strategist._thought)
    assert Game.objects.get().ply == game.ply


def test_captain_plays_what_takes_too_long(path: str, caplog: pytest.LogCaptureFixture) -> None:
    seat, game = asked_strategist(), Game.objects.get()
    usual = choose("captain", observe(Progress.of(game).state, seat.number))
    assert strategist.play_for_late_thoughts(clock.now()) == 0
    with (
        time_machine.travel(clock.now() + strategist.THOUGHT_LASTS + timedelta(seconds=1)),
        caplog.at_level("WARNING"),
    ):
        run_clock()
    entry = LogEntry.objects.get(seat=seat.number, decision_step=seat.decision_step)
    assert (entry.move, entry.via) == (str(usual), LogEntry.Via.BOT)
    assert entry.chosen_by == LogEntry.ChosenBy.STAND_IN
    assert "no answer within 0:02:00" in caplog.text


@pytest.mark.parametrize("error", [NoThought("killed"), NoThought("DamagedWeights")])
def test_captain_plays_at_once_where_there_is_no_thought(
    path: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: NoThought
) -> None:
    seat, game = asked_strategist(), Game.objects.get()
    usual = choose("captain", observe(Progress.of(game).state, seat.number))

    def ask(*_question: Any) -> Any:
        raise error

    monkeypatch.setattr(THINKER, "ask", ask)
    with caplog.at_level(logging.WARNING):
        assert think() >= 1
    assert LogEntry.objects.get(seat=seat.number, decision_step=seat.decision_step).move == str(usual)
    assert str(error) in caplog.text


def test_a_broken_game_stops_no_other(path: str) -> None:
    broken = asked_strategist()
    LogEntry.objects.filter(game=Game.objects.get(), ply=0).update(move="pass")
    other = Client()
    play_until_it_thinks(other, begun(other, 1, "strategist"), seats=2)
    think()
    assert asked_strategist() == broken


def test_two_workers_need_not_think_about_the_same_turn(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    other, asked = Client(), list[str]()
    play_until_it_thinks(other, begun(other, 1, "strategist"), seats=2)

    def ask(function: Any, *arguments: Any) -> Any:
        asked.append(arguments[-1])
        if len(asked) == 1:
            strategist.think(clock.now(), lambda: len(asked) > 1)  # the other worker
        return function(*arguments)

    monkeypatch.setattr(THINKER, "ask", ask)
    monkeypatch.setattr(strategist, "choice", lambda turns: turns[len(asked) % len(turns)])
    assert strategist.think(clock.now(), lambda: len(asked) > 1) == 1
    assert len(set(asked)) == 2


def test_switched_off_it_is_not_offered_and_captain_plays_for_it(
    client: Client, path: str, settings: Any
) -> None:
    assert 'value="strategist"' in client.get("/").content.decode()
    settings.STRATEGIST = False
    assert 'value="strategist"' not in client.get("/").content.decode()
    assert think() == 0
    run_clock()
    assert not thinking()
    for _ in range(3):
        page = client.get(path).content.decode()
        client.post(f"{path}move/", {"move": eager(offered(page)), "decision_step": decision_step(page)})
        assert not thinking()
    chosen_by = set(LogEntry.objects.filter(via=LogEntry.Via.BOT).values_list("chosen_by", flat=True))
    assert chosen_by <= {LogEntry.ChosenBy.STAND_IN, LogEntry.ChosenBy.STRATEGIST}
    assert LogEntry.ChosenBy.STAND_IN in chosen_by


def test_a_thought_is_cut_off_where_the_machine_has_no_time_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the process would be ended, and Captain would play."""
    moments = iter([100.0, 101.0, 100.0 + thinker.LONGEST_WAIT])
    monkeypatch.setattr(thinker, "monotonic", lambda: next(moments))
    budget = thinker.budget()
    assert not budget.is_spent()
    assert budget.is_spent()
    assert thinker.LONGEST_WAIT * 3 < thinking_process.LONGEST_ANSWER


def test_its_secret_answers_take_no_time() -> None:
    """The length of a thought would tell who had to answer (R17)."""
    state = first_where(lambda state: state.phase == Phase.HAND)
    for decision in pending(state):
        seen = observe(state, decision.seat)
        assert len(seen.legal) > 1
        assert at_once("strategist", decision, seen) == (choose("captain", seen), "stand-in")


def test_it_thinks_about_other_choices() -> None:
    state = first_where(lambda state: state.phase == Phase.BATTLE)
    decision = pending(state)[0]
    seen = observe(state, decision.seat)
    assert len(seen.legal) > 1
    assert at_once("strategist", decision, seen) is None


def first_where(is_meant: Callable[[State], bool]) -> State:
    """Return the first such position of games by chance."""
    for seed in range(1000):
        game = random_game(seed, Options(), 3, passing=0.5)
        state = new_game(game.options, game.players, game.first)
        for seat, text in game.log:
            if is_meant(state):
                return state
            state, _events = apply(state, seat, parse_move(text))
    raise AssertionError("no such position")


class TestTheProcess:
    """The process itself: what comes back, and what happens once it is killed."""

    @pytest.fixture
    def process(self) -> Iterator[ThinkingProcess]:
        process = ThinkingProcess()
        yield process
        process.stop()

    def test_the_same_question_gets_the_same_move(self, process: ThinkingProcess) -> None:
        state = first_where(lambda state: state.phase == Phase.BATTLE)
        seen = observe(state, pending(state)[0].seat)
        known = KnownCards.none(3)
        first = process.ask(think_of_move, seen, known, "a")
        assert first in seen.legal
        assert process.ask(think_of_move, seen, known, "a") == first

    def test_a_killed_process_answers_nothing_and_the_next_question_starts_another(
        self, process: ThinkingProcess
    ) -> None:
        assert process.ask(len, "four") == 4
        killed = process.pid
        threading.Timer(0.2, os.kill, (killed, signal.SIGKILL)).start()
        with pytest.raises(NoThought, match="ended"):
            process.ask(sleep, 60)
        assert process.ask(len, "four") == 4
        assert process.pid != killed

    def test_a_thought_that_takes_too_long_is_given_up(
        self, process: ThinkingProcess, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(thinking_process, "LONGEST_ANSWER", 0.3)
        with pytest.raises(NoThought):
            process.ask(sleep, 60)
        assert process.pid is None

    def test_an_interrupted_question_leaves_no_answer_to_the_next(
        self, process: ThinkingProcess, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted(*_file: Any) -> Any:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(thinking_process.pickle, "load", interrupted)
            with pytest.raises(KeyboardInterrupt):
                process.ask(len, "five!")
        assert process.ask(len, "four") == 4

    def test_it_ends_with_its_input_and_not_by_a_key(self, capfd: pytest.CaptureFixture[str]) -> None:
        """Control-C on a terminal goes to all processes there; the site's own end is enough."""
        process = ThinkingProcess()
        assert process.ask(len, "four") == 4
        assert process.pid is not None
        os.kill(process.pid, signal.SIGINT)
        assert process.ask(len, "four") == 4
        process.stop()
        assert capfd.readouterr().err == ""

    def test_what_goes_wrong_there_is_said_here(self, process: ThinkingProcess, tmp_path: Path) -> None:
        with pytest.raises(NoThought, match="DamagedWeights"):
            process.ask(read_weights, tmp_path / "none.json")
        assert process.ask(len, "four") == 4
