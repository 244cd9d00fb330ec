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


class _Follower:
    """Sets this process's clock ahead or back by as many seconds as the file says, whenever it says others.

    Steady clocks (time.monotonic) go on as before, as they do when a machine's clock is set.
    """

    def __init__(self, clock: Path) -> None:
        import time_machine

        self._clock, self._told = clock, 0.0
        self._journey = time_machine.travel(datetime.now(UTC), tick=True).start()
        self._follow_once()
        self.start()
        os.register_at_fork(after_in_child=self.start)  # threads stay behind in the parent

    def start(self) -> None:
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        while True:
            self._follow_once()
            time.sleep(0.1)

    def _follow_once(self) -> None:
        wanted = float(self._clock.read_text() or 0)
        if wanted != self._told:
            self._journey.shift(timedelta(seconds=wanted - self._told))
            self._told = wanted


if clock := os.environ.get("FAULTS_CLOCK"):
    _Follower(Path(clock))
