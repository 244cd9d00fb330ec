"""Runs of clock tasks are stored as a worker makes them: a row for each task, only of good runs."""

import threading
from collections.abc import Iterator
from importlib import import_module

import pytest
from celery import Task
from django.conf import settings

from condottiere_site.celery import app
from condottiere_site.health import task_runs
from condottiere_site.models import TaskRun

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]

for _task in settings.BEAT_SECONDS:
    import_module(_task.rpartition(".")[0])  # as a worker does

CLOCK = "games.tasks.run_clock"
SEALS = "games.tasks.open_seals"


@pytest.fixture(autouse=True)
def _no_run_was_stored_a_moment_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_runs, "_stored_at", {})


@pytest.fixture
def one_more() -> Iterator[Task]:
    """A task that is in no schedule."""

    @app.task(name="tests.one_more")
    def one_more() -> int:
        return 1

    yield one_more
    app.tasks.unregister("tests.one_more")


def test_every_clock_task_leaves_one_row_however_often_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_runs, "STORED_EVERY", 0.0)
    for name in [*settings.BEAT_SECONDS, *settings.BEAT_SECONDS]:
        assert app.tasks[name].apply().successful()
    runs = {run.task: run for run in TaskRun.objects.all()}
    assert sorted(runs) == sorted(settings.BEAT_SECONDS)
    assert all(run.started_at <= run.ended_at and 0 <= run.seconds < 60 for run in runs.values())


def test_a_run_is_stored_once_in_five_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = []
    monkeypatch.setattr(task_runs, "_store", lambda *run: stored.append(run[0]))
    for _ in range(3):
        app.tasks[CLOCK].apply()
    assert stored == [CLOCK]
    task_runs._stored_at[CLOCK] -= task_runs.STORED_EVERY
    app.tasks[CLOCK].apply()
    assert stored == [CLOCK, CLOCK]


def test_a_run_that_failed_leaves_the_row_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_runs, "STORED_EVERY", 0.0)
    app.tasks[SEALS].apply()
    before = TaskRun.objects.get().ended_at

    def fails(_now: object) -> int:
        raise RuntimeError("a broken note")

    monkeypatch.setattr("games.tasks.open_seals_by", fails)
    assert app.tasks[SEALS].apply().failed()
    assert TaskRun.objects.get().ended_at == before


def test_a_run_that_was_refused_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A task that hangs is seen, although its ticks go on."""
    going_on, may_end = threading.Event(), threading.Event()

    def hangs(_now: object) -> int:
        going_on.set()
        may_end.wait(60)
        return 0

    monkeypatch.setattr("games.tasks.open_seals_by", hangs)
    first = threading.Thread(target=app.tasks[SEALS].run)
    first.start()
    try:
        assert going_on.wait(60)
        assert app.tasks[SEALS].apply().result is None
        assert not TaskRun.objects.exists()
    finally:
        may_end.set()
        first.join()


def test_a_task_that_is_busy_for_long_leaves_its_row_after_each_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of its runs is asked for by a tick that was refused during the one before."""
    monkeypatch.setattr(task_runs, "STORED_EVERY", 0.0)
    stored = list[int]()

    def is_asked_again(_now: object) -> int:
        stored.append(TaskRun.objects.count())
        if len(stored) == 1:
            assert app.tasks[SEALS].run() is None
        return 1

    monkeypatch.setattr("games.tasks.open_seals_by", is_asked_again)
    assert app.tasks[SEALS].apply().result == 2
    assert stored == [0, 1]


def test_other_tasks_are_not_stored(one_more: Task) -> None:
    assert one_more.apply().result == 1
    assert not TaskRun.objects.exists()
