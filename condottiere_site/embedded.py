"""Web, worker and beat in one process: what `play` runs. Larger installations start each by itself."""

import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import celery.beat
import celery.worker.state
import waitress.server
from django.conf import settings
from django.core.wsgi import get_wsgi_application

from condottiere_site.celery import app

WEB_THREADS = 6
WORKER_THREADS = 4  # one more than may talk with the mail server at once
STOP_WITHIN = 8  # seconds for what is under way; a letter cut off is sent again from its row


class Site:
    """One running site. Opening takes the port; `serve` blocks until a signal asks to stop."""

    def __init__(self, host: str, port: int) -> None:
        """Raises OSError where the port cannot be had."""
        self.web = waitress.server.create_server(
            get_wsgi_application(),
            host=host,
            port=port,
            threads=WEB_THREADS,
            ident=None,
            # What a proxy says of the reader counts only where a proxy was announced.
            clear_untrusted_proxy_headers=not settings.TRUSTED_PROXIES,
        )
        self.worker = app.WorkController(
            app=app,
            pool="threads",
            concurrency=WORKER_THREADS,
            hostname="play@localhost",
            loglevel="WARNING",
            without_heartbeat=True,
            without_mingle=True,
            without_gossip=True,
            quiet=True,
        )
        self.beat = celery.beat.Service(app, max_interval=1, scheduler_cls=app.conf.beat_scheduler)
        self.threads: list[threading.Thread] = []

    def serve(self) -> None:
        """Runs until SIGINT or SIGTERM, then stops web, beat and worker in this order."""
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, _leave)
        self._start(self.worker.start, "worker")
        self._start(self.beat.start, "beat")
        try:
            self.web.run()
        finally:
            self._stop()

    def _start(self, target: Callable[[], Any], name: str) -> None:
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        self.threads.append(thread)

    def _stop(self) -> None:
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, signal.SIG_IGN)
        self.web.close()
        self.beat.stop()
        celery.worker.state.should_stop = 0  # type: ignore[assignment]  # typed by its first value, None
        for thread in self.threads:
            thread.join(STOP_WITHIN)


def _leave(_number: int, _frame: FrameType | None) -> None:
    sys.exit(0)
