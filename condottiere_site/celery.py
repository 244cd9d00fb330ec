"""The Celery application. Beat only wakes workers, which read what to do from the database."""

import logging
import os
import sys
import time
from typing import Any

from celery import Celery, Task
from celery.app.amqp import AMQP
from celery.signals import beat_init, celeryd_init
from django.conf import settings
from django.db import DatabaseError
from kombu import Connection

from accounts.clock_jumps import clock_is_ahead
from accounts.full_disk import raise_unless_full
from condottiere_site import bad_settings
from condottiere_site.alive import WorkerIsAlive
from condottiere_site.beat import EmbeddedBeat
from condottiere_site.room_for_calls import with_room

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "condottiere_site.settings")
bad_settings.exit_if_any()

GIVES_TIME_BACK = "games.tasks.run_clock"  # also while the machine's clock is ahead
LOGGED_EVERY = 60.0  # seconds: of lines that say that nothing can be stored

logger = logging.getLogger(__name__)

_logged_at: float | None = None
# Seconds between attempts to reach the broker: first, increase per attempt, longest.
_ATTEMPTS = {"interval_start": 1, "interval_step": 1, "interval_max": 3}


class EagerConnection(Connection):
    """Connection that retries a lost broker every few seconds; Celery would wait up to half a minute."""

    def ensure_connection(self, *args: Any, **kwargs: Any) -> Any:
        """Connect, retrying at short intervals."""
        return super().ensure_connection(*args, **(kwargs | _ATTEMPTS))


class EagerAMQP(AMQP):
    """Celery's AMQP layer with these connections."""

    Connection = EagerConnection


class ClockTask(Task):  # type: ignore[type-arg]  # Celery's class takes none
    """A task of a worker. It waits while the machine's clock is ahead of where it should be.

    While nothing can be stored, it ends with a line in the log; beat asks again soon.
    """

    @with_room
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the task. Returns None if it did not run, so that it doesn't count as a run."""
        if self.request.called_directly:
            return super().__call__(*args, **kwargs)
        try:
            if self.name != GIVES_TIME_BACK and clock_is_ahead():
                return None
            return self.run(*args, **kwargs)  # not __call__, in which it would be called directly
        except (DatabaseError, OSError) as error:
            raise_unless_full(error)
            _log_now_and_then(f"{self.name} waits until something can be stored again: {error}")
            return None


def _log_now_and_then(line: str) -> None:
    """Log a line unless one like it was logged a moment ago: the log may be on the same full disk."""
    global _logged_at  # noqa: PLW0603 - for all tasks of this process
    now = time.monotonic()
    if _logged_at is None or now > _logged_at + LOGGED_EVERY:
        _logged_at = now
        logger.error(line)


app: Celery = Celery("condottiere", amqp=EagerAMQP, task_cls=ClockTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.steps["consumer"].add(WorkerIsAlive)


@celeryd_init.connect
@beat_init.connect
def look_around(sender: object = None, **_facts: Any) -> None:
    """Stop worker or beat if they have no broker, or if this code must not serve the database.

    The beat of `play` is in one process with its worker, and needs no broker.
    """
    if not settings.REDIS_URL and not isinstance(sender, EmbeddedBeat):
        sys.stderr.write(
            "Settings: REDIS_URL must be set: without it, only `manage.py play` does the work.\n"
        )
        sys.exit(bad_settings.STATUS)
    from condottiere_site.startup import begin_to_serve

    begin_to_serve()
