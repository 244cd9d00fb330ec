"""Limits on concurrent runs of a task: what a refused tick asked for is done as soon as a run ends."""

import threading
from collections.abc import Callable, Iterator

import pytest
from celery.worker import state

from accounts.ticks import at_most
from tests.servers import HANGS, wait_until


class SlowTask:
    """A task whose runs wait until they are let go."""

    def __init__(self, runs: int) -> None:
        self.begun, self.ended = 0, 0
        self.tick = at_most(runs)(self._work)
        self._let_go = threading.Semaphore(0)

    def _work(self) -> int:
        self.begun += 1
        assert self._let_go.acquire(timeout=HANGS)
        self.ended += 1
        return 1

    def let_go(self, runs: int = 1) -> None:
        self._let_go.release(runs)


Beat = Callable[[SlowTask], threading.Thread]


@pytest.fixture
def beat() -> Iterator[Beat]:
    """Sends ticks, each to its own thread, as a worker runs them."""
    threads = list[threading.Thread]()

    def send(task: SlowTask) -> threading.Thread:
        threads.append(threading.Thread(target=task.tick))
        threads[-1].start()
        return threads[-1]

    yield send
    for thread in threads:
        thread.join(HANGS)
        assert not thread.is_alive()


def test_a_refused_tick_is_made_up_for_as_soon_as_the_run_ends(beat: Beat) -> None:
    task = SlowTask(1)
    beat(task)
    wait_until(lambda: task.begun == 1, "the first run")
    assert [task.tick() for _ in range(3)] == [None, None, None]
    task.let_go()
    wait_until(lambda: task.begun == 2, "the run that was refused")
    task.let_go()
    wait_until(lambda: task.ended == 2, "its end")


def test_no_run_follows_if_none_was_refused(beat: Beat) -> None:
    task = SlowTask(2)
    task.let_go(2)
    for thread in [beat(task), beat(task)]:
        thread.join(HANGS)
    assert task.begun == 2


def test_no_more_run_at_once_than_may(beat: Beat) -> None:
    task = SlowTask(2)
    beat(task)
    beat(task)
    wait_until(lambda: task.begun == 2, "two runs")
    assert task.tick() is None
    task.let_go()
    wait_until(lambda: task.begun == 3, "the refused run")
    assert task.ended == 1
    task.let_go(2)
    wait_until(lambda: task.ended == 3, "their ends")


def test_a_worker_that_stops_begins_no_other_run(beat: Beat, monkeypatch: pytest.MonkeyPatch) -> None:
    task = SlowTask(1)
    run = beat(task)
    wait_until(lambda: task.begun == 1, "the first run")
    assert task.tick() is None
    monkeypatch.setattr(state, "should_stop", 0)
    task.let_go()
    run.join(HANGS)
    assert task.begun == 1


def test_a_run_that_fails_leaves_room_for_the_next() -> None:
    @at_most(1)
    def fails() -> int:
        raise ValueError

    for _ in range(2):
        with pytest.raises(ValueError):
            fails()
