"""Files by which worker and beat show health checks that they are alive and reach the broker.

They are in RUNTIME_DIRECTORY, which compose.yaml sets and systemd can; without it none is written. Whether
work gets done is not said here: health/ judges that from rows.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from celery import bootsteps

EVERY = 10.0  # seconds, for the worker; beat does so with each tick


def show(role: str) -> None:
    """Touch the file of this role."""
    if folder := os.environ.get("RUNTIME_DIRECTORY"):
        with suppress(OSError):
            Path(folder, role).touch()


class WorkerIsAlive(bootsteps.StartStopStep):
    """Step of the worker: its file is touched by the loop that takes tasks, while that has a connection."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, parent: Any, **more: Any) -> None:
        """`parent` is the worker's consumer of tasks."""
        super().__init__(parent, **more)
        self.entry: Any = None

    def start(self, parent: Any) -> None:
        """Begin once tasks are taken; called again after the broker was lost."""
        show("worker")
        self.entry = parent.timer.call_repeatedly(EVERY, show, ("worker",))

    def stop(self, parent: Any) -> None:
        """End when the broker is lost or the worker stops."""
        if self.entry is not None:
            self.entry.cancel()
            self.entry = None
