"""Beat's schedule: by a steady clock, and never two equal ticks at once."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from celery.beat import Service
from celery.signals import beat_init
from kombu import Connection

from condottiere_site import beat
from condottiere_site.celery import app

TASK = "accounts.mail.tasks.deliver_due"


@pytest.fixture
def broker() -> Iterator[Connection]:
    """A broker inside this process that no one takes ticks from."""
    with Connection("memory://") as line:
        yield line
        line.default_channel.queue_purge(f"{TASK}.of.this.test")


@pytest.fixture
def scheduler(broker: Connection) -> Any:
    """Beat with one task."""
    return beat_with(broker)


def beat_with(broker: Connection) -> Any:
    """Return one more beat with this broker."""
    table = {TASK: {"task": TASK, "schedule": 1.0, "options": {"queue": f"{TASK}.of.this.test"}}}
    made = beat.SteadyScheduler(app, schedule={}, lazy=True, max_interval=1)
    made.update_from_dict(table)
    made.producer = made.Producer(broker, auto_declare=False)
    return made


@pytest.fixture
def steadily(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Lets seconds pass for beat."""
    passed = [beat.time.monotonic()]
    clock = type("Clock", (), {"monotonic": lambda: passed[0]})
    monkeypatch.setattr(beat, "time", clock)

    def wait(seconds: float) -> None:
        passed[0] += seconds

    return wait


def ticks_there(scheduler: Any) -> int:
    return int(scheduler.producer.channel.queue_declare(queue=f"{TASK}.of.this.test").message_count)


def taken(scheduler: Any) -> None:
    scheduler.producer.channel.queue_purge(f"{TASK}.of.this.test")


def test_every_task_is_woken_when_beat_starts(scheduler: Any) -> None:
    scheduler.tick()
    assert ticks_there(scheduler) == 1


def test_beat_shows_that_it_reaches_the_broker_also_while_no_one_takes_ticks(
    scheduler: Any, steadily: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    for _ in range(2):
        scheduler.tick()
        steadily(1.1)
        (tmp_path / "beat").unlink()


def test_a_tick_that_no_one_took_is_not_sent_again(scheduler: Any, steadily: Any) -> None:
    for _ in range(100):
        scheduler.tick()
        steadily(0.5)
    assert ticks_there(scheduler) == 1


def test_two_beats_with_one_broker_send_one_tick(scheduler: Any, broker: Connection, steadily: Any) -> None:
    beats = [scheduler, beat_with(broker)]
    for _ in range(20):
        for each in beats:
            each.tick()
        assert ticks_there(scheduler) == 1
        steadily(0.5)


def test_ticks_go_on_when_the_machines_clock_is_set_back(scheduler: Any, steadily: Any) -> None:
    scheduler.tick()
    taken(scheduler)
    with time_machine.travel(timedelta(hours=-6)):
        steadily(1.1)
        scheduler.tick()
        assert ticks_there(scheduler) == 1


def test_ticks_come_no_faster_when_the_machines_clock_is_set_ahead(scheduler: Any, steadily: Any) -> None:
    scheduler.tick()
    taken(scheduler)
    with time_machine.travel(timedelta(days=400)):
        steadily(0.5)
        scheduler.tick()
        assert ticks_there(scheduler) == 0


@pytest.mark.django_db
def test_only_the_beat_of_play_runs_without_a_broker_of_its_own(settings: Any) -> None:
    settings.REDIS_URL = None
    beat_init.send(sender=beat.EmbeddedBeat(app, max_interval=1, scheduler_cls=app.conf.beat_scheduler))
    with pytest.raises(SystemExit):
        beat_init.send(sender=Service(app, max_interval=1, scheduler_cls=app.conf.beat_scheduler))
