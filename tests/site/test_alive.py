"""Worker and beat touch files while they are alive and reach the broker: health checks look at them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from condottiere_site.alive import EVERY, WorkerIsAlive, show
from tests.servers import wait_until

pytestmark = pytest.mark.once


class Timer:
    """What the step needs of the timer of a worker's consumer."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    @property
    def timer(self) -> "Timer":
        return self

    def call_repeatedly(self, seconds: float, call: Callable[..., None], words: tuple[str]) -> "Timer":
        assert seconds == EVERY
        self.calls.append((call, words))
        return self

    def cancel(self) -> None:
        self.calls.clear()

    def run(self) -> None:
        for call, words in self.calls:
            call(*words)


def test_a_worker_touches_its_file_until_it_loses_the_broker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    file, consumer = tmp_path / "worker", Timer()
    step = WorkerIsAlive(consumer)
    assert not file.exists()
    step.start(consumer)
    assert file.exists()
    file.unlink()
    consumer.run()
    assert file.exists()
    step.stop(consumer)
    file.unlink()
    consumer.run()
    assert not file.exists()
    step.start(consumer)
    assert file.exists()


def test_health_checks_wait_longer_than_files_are_touched() -> None:
    checks = (Path(__file__).parents[2] / "deploy" / "compose.yaml").read_text(encoding="utf-8")
    assert "find /run/condottiere/worker -mmin -1" in checks
    assert EVERY < 60 / 2


@pytest.mark.parametrize("folder", [None, "/dev/null/nowhere"])
def test_nothing_is_written_without_a_folder(folder: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    if folder:
        monkeypatch.setenv("RUNTIME_DIRECTORY", folder)
    show("worker")  # and it goes on


@pytest.mark.long
def test_a_real_worker_and_beat_show_that_they_are_alive(
    celery_processes: Callable[..., Any], tmp_path: Path
) -> None:
    celery_processes(RUNTIME_DIRECTORY=str(tmp_path))
    wait_until(lambda: (tmp_path / "worker").exists() and (tmp_path / "beat").exists(), "files of both")
