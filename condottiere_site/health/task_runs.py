"""Stores when each clock task last ran: one row for each, which the signs and metrics read.

A run that failed, or did nothing because others are still running, leaves the row as it was.
"""

import time
from datetime import datetime
from typing import Any

from celery import current_task, states
from celery.signals import task_postrun, task_prerun
from django.conf import settings
from django.dispatch import receiver

from accounts import clock
from accounts.full_disk import optional_write
from accounts.signals import run_followed
from condottiere_site.models import TaskRun

STORED_EVERY = 5.0  # seconds, for tasks that run each second

_begun: dict[str, tuple[datetime, float]] = {}  # of running tasks
_stored_at: dict[str, float] = {}


@task_prerun.connect
def note_start(task_id: str, task: Any, **_facts: Any) -> None:
    """Remember when a clock task began."""
    if task.name in settings.BEAT_SECONDS:
        _begun[task_id] = clock.now(), time.monotonic()


@task_postrun.connect
def store_run(task_id: str, task: Any, retval: object = None, state: str = "", **_facts: Any) -> None:
    """Store the run of a clock task that has ended well, unless one was stored a moment ago."""
    if task_id not in _begun:
        return
    started_at, began = _begun.pop(task_id)
    now = time.monotonic()
    has_run = state == states.SUCCESS and retval is not None  # None: refused by accounts.ticks.at_most
    if has_run and now - _stored_at.get(task.name, -STORED_EVERY) >= STORED_EVERY:
        _store(task.name, started_at, now - began)
        _stored_at[task.name] = now


@receiver(run_followed)
def store_run_before(**_facts: Any) -> None:
    """Store the run that has ended where a refused tick is made up for, so that a busy task isn't late."""
    if current_task:
        task_id = str(current_task.request.id)
        store_run(task_id, current_task, retval=0, state=states.SUCCESS)
        note_start(task_id, current_task)


def _store(task: str, started_at: datetime, seconds: float) -> None:
    run = {"started_at": started_at, "ended_at": clock.now(), "seconds": seconds}
    with optional_write("when a task ran"):
        if not TaskRun.objects.filter(task=task).update(**run):
            TaskRun.objects.bulk_create([TaskRun(task=task, **run)], ignore_conflicts=True)
