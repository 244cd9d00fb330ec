"""Web, worker and beat in one process, as `play` runs them. Larger sites start each separately."""

import importlib.util
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import celery.worker.state
import waitress.channel
import waitress.parser
import waitress.server
from django.conf import settings
from django.core.wsgi import get_wsgi_application

from condottiere_site.beat import EmbeddedBeat
from condottiere_site.celery import app
from condottiere_site.short_headers import with_short_headers

WEB_THREADS = 6
# Three for emails, two each for browsers and channels, one for each other task that runs every few seconds
WORKER_THREADS = 14
CONNECTIONS = 1000
FILES = 2 * CONNECTIONS  # open files, including the database's; many systems start with a limit of 1,024
LARGEST_BODY = 5 * 1024 * 1024  # bytes of a request
ARRIVES_WITHIN = 30  # seconds for a whole request, and for an idle connection
CLOSES_WITHIN = 5  # seconds more, until a late connection is found and closed
STOP_WITHIN = 8  # seconds for running work; an interrupted email is sent again from its row


class RequestParser(waitress.parser.HTTPRequestParser):
    """Waitress's parser, but without "100 Continue" for a request that is already refused."""

    def received(self, data: bytes) -> int:
        """Return how many of these bytes were consumed."""
        taken: int = super().received(data)
        if self.error:
            self.expect_continue = False
        return taken


class Connection(waitress.channel.HTTPChannel):
    """Waitress's connection, but the whole request must arrive in time, however slowly its bytes come."""

    parser_class = RequestParser
    last_activity: float

    def handle_read(self) -> None:
        """Read data. Inside a request this does not count as activity, so the timeout keeps running."""
        began = self.last_activity if self.request else None
        super().handle_read()
        if began and self.request:
            self.last_activity = began


waitress.server.BaseWSGIServer.channel_class = Connection  # waitress has no setting for this


def open_web(host: str, port: int) -> Any:
    """Return a web server on this port, protected against overload. Raises OSError if the port is taken."""
    _allow_files()
    return waitress.server.create_server(
        with_short_headers(get_wsgi_application()),
        host=host,
        port=port,
        threads=WEB_THREADS,
        ident=None,
        connection_limit=CONNECTIONS,
        asyncore_use_poll=True,  # select is limited to 1,024 files
        max_request_body_size=LARGEST_BODY,
        channel_timeout=ARRIVES_WITHIN,
        cleanup_interval=CLOSES_WITHIN,
        # Trust proxy headers only if a proxy is configured.
        clear_untrusted_proxy_headers=not settings.TRUSTED_PROXIES,
    )


def _allow_files() -> None:
    if importlib.util.find_spec("resource") is None:
        return  # Windows has no such limit
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class Site:
    """One running site. Creating it takes the port; `serve` blocks until a signal stops it."""

    def __init__(self, host: str, port: int) -> None:
        """Open the port and prepare worker and beat. Raises OSError if the port is not available."""
        self.web = open_web(host, port)
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
        self.beat = EmbeddedBeat(app, max_interval=1, scheduler_cls=app.conf.beat_scheduler)
        self.threads: list[threading.Thread] = []

    def serve(self) -> None:
        """Run until SIGINT or SIGTERM, then stop web, beat and worker in this order."""
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
