"""The Celery application. Beat only wakes workers, which read what to do from the database."""

import os
import sys
from typing import Any

from celery import Celery
from celery.app.amqp import AMQP
from celery.signals import beat_init, celeryd_init
from django.conf import settings
from kombu import Connection

from condottiere_site import bad_settings
from condottiere_site.alive import WorkerIsAlive
from condottiere_site.beat import EmbeddedBeat

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "condottiere_site.settings")
bad_settings.exit_if_any()

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


app = Celery("condottiere", amqp=EagerAMQP)
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
