"""The Celery application. Beat only wakes it; what is to be done is read from the database."""

import os
from typing import Any

from celery import Celery
from celery.app.amqp import AMQP
from kombu import Connection

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "condottiere_site.settings")

# Seconds between two attempts to reach the broker: from the first, a second longer each time, to the longest.
_ATTEMPTS = {"interval_start": 1, "interval_step": 1, "interval_max": 3}


class EagerConnection(Connection):
    """Looks for a lost broker every few seconds; Celery would wait up to half a minute between two looks."""

    def ensure_connection(self, *args: Any, **kwargs: Any) -> Any:
        """The connection, made anew as often as it takes."""
        return super().ensure_connection(*args, **(kwargs | _ATTEMPTS))


class EagerAMQP(AMQP):
    """Celery's way to the broker, over such connections."""

    Connection = EagerConnection


app = Celery("condottiere", amqp=EagerAMQP)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
