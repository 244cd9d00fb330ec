"""The site's own settings for the processes of these tests, with an app that adds to it (apps.py) and a clock
that can be set while they run."""

import copy
import os
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from condottiere_site import settings
from condottiere_site.settings import *  # noqa: F403 - Django's way to change settings

TESTS = Path(__file__).resolve().parent.parent

TEMPLATES = copy.deepcopy(settings.TEMPLATES)
TEMPLATES[0]["DIRS"] = [*settings.TEMPLATES[0]["DIRS"], TESTS / "mail" / "templates"]
INSTALLED_APPS = [*settings.INSTALLED_APPS, "tests.faults"]
EMAIL_TIMEOUT = int(os.environ.get("EMAIL_TIMEOUT", "20"))
CELERY_BEAT_SCHEDULE = copy.deepcopy(settings.CELERY_BEAT_SCHEDULE)
CELERY_BEAT_SCHEDULE["games.tasks.run_clock"]["schedule"] = 2.0


def _follow(clock: Path) -> None:
    """Sets this process's clock ahead or back by as many seconds as the file says, whenever it says others.

    Steady clocks (time.monotonic) go on as before, as they do when a machine's clock is set.
    """
    import time_machine

    told = 0.0
    traveller = time_machine.travel(datetime.now(UTC), tick=True)
    journey = traveller.start()
    while True:
        wanted = float(clock.read_text() or 0)
        if wanted != told:
            journey.shift(timedelta(seconds=wanted - told))
            told = wanted
        time.sleep(0.1)


if clock := os.environ.get("FAULTS_CLOCK"):
    threading.Thread(target=_follow, args=(Path(clock),), daemon=True).start()
