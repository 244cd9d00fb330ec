"""A whole site in its own processes, with its outbox and its mail server's emails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psycopg

from tests.faults.processes import ROOT, Processes, Started
from tests.faults.servers import PostgreSQL, Redis, open_to_all, remove
from tests.faults.sink import ACCEPT, Sink
from tests.servers import HANGS, free_port, wait_until

# Copies of a row that the site itself wrote, so that only what differs is named here.
GREETINGS = """
INSERT INTO mail_outgoingemail SELECT (jsonb_populate_record(pattern, jsonb_build_object(
    'id', nextval(pg_get_serial_sequence('mail_outgoingemail', 'id')),
    'state', 'queued',
    'key', 'greeting-' || gen_random_uuid(),
    'message_id', '<email-' || gen_random_uuid() || '@127.0.0.1>',
    'to_address', replace(%s, '#', number::text),
    'not_before', moment,
    'created_at', moment
))).*
FROM mail_outgoingemail AS pattern, (SELECT now() - make_interval(secs => %s) AS moment),
    generate_series(1, %s) AS number
WHERE pattern.key = 'pattern'
"""
LEASED = "state = 'queued' AND leased_until IS NOT NULL"


class Site:
    """Database, broker and mail server, running; workers, beats and web processes as a test starts them."""

    def __init__(
        self,
        code: Path = ROOT,
        python: str = sys.executable,
        *,
        database: Callable[[Processes, Path], PostgreSQL] = PostgreSQL,
        **environment: str,
    ) -> None:
        """Start the servers; the site's processes run this folder's code with this Python."""
        self._code, self._python, self._environment = code, python, environment
        self._line: psycopg.Connection[tuple[object, ...]] | None = None
        with ExitStack() as built:
            self.folder = Path(tempfile.mkdtemp(prefix="condottiere-faults-"))
            built.callback(remove, self.folder)
            open_to_all(self.folder)
            self.processes = Processes(self.folder, code)
            built.callback(self.processes.close)
            self.clock = self.folder / "clock"
            self.set_clock(0)
            self.redis = Redis(self.processes, self.folder)
            self.database = database(self.processes, self.folder)
            built.callback(self.database.close)
            self.sink = Sink(free_port())
            built.callback(self.close_sink)
            self.web_port = free_port()
            self.run("-m", "tests.faults.stage", "prepare")
            self._closing = built.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._closing.close()

    # Processes

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.web_port}"

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "DATABASE_URL": self.database.url,
            "REDIS_URL": self.redis.url,
            "EMAIL_URL": self.sink.url,
            "SITE_URL": self.address,
            "STATE_DIR": str(self.folder / "state"),
            "SECRET_KEY": "a key for the processes of these tests alone",
            "EMAIL_HOLD": "0",
            "REPLY_ADDRESS": "reply@games.example.net",
            "EMAIL_TIMEOUT": "3",
            "DJANGO_SETTINGS_MODULE": "tests.faults.site_settings",
            **self._environment,
            **more,
        }

    def run(self, *words: str, seconds: float = 120, **more: str) -> str:
        """Run a management command to its end; return what it printed."""
        done = subprocess.run(
            [self._python, *words],
            cwd=self._code,
            env=os.environ | self.environment(**more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    def staged(self, *words: str, seconds: float = 120, **more: str) -> Any:
        """Run stage.py, and return what it made."""
        return json.loads(self.run("-m", "tests.faults.stage", *words, seconds=seconds, **more))

    def start_worker(self, name: str = "worker", concurrency: int = 2, **more: str) -> Started:
        words = ["worker", "--pool", "threads", "--concurrency", str(concurrency), "--loglevel", "INFO"]
        return self._celery(name, *words, "--hostname", f"{name}@faults", **more)

    def start_beat(self, name: str = "beat", **more: str) -> Started:
        return self._celery(name, "beat", "--loglevel", "INFO", "--pidfile", "", **more)

    def _celery(self, name: str, *words: str, **more: str) -> Started:
        command = [self._python, "-m", "celery", "-A", "condottiere_site", *words]
        return self.processes.start(name, command, self.environment(**more))

    def start_web(self, **more: str) -> Started:
        """Start two web processes under a parent that restarts them when they die."""
        bind = f"127.0.0.1:{self.web_port}"
        words = ["condottiere_site.wsgi", "--bind", bind, "--workers", "2", "--threads", "4", "--preload"]
        return self.processes.start("web", [self._python, "-m", "gunicorn", *words], self.environment(**more))

    def start_lmtp(self) -> int:
        """Start the process that takes mail, and return its port."""
        port = free_port()
        words = ["manage.py", "receive_mail", "--lmtp", f"127.0.0.1:{port}"]
        started = self.processes.start("lmtp", [self._python, *words], self.environment())
        wait_until(lambda: "LMTP" in started.log.read_text(), "mail to be taken")
        return port

    def start_missing(self, *names: str) -> None:
        """Start those of worker, beat and web that do not run yet."""
        running = {each.name for each in self.processes.running()}
        starts = {"worker": self.start_worker, "beat": self.start_beat, "web": self.start_web}
        for name in names:
            if name not in running:
                starts[name]()

    def stop_all(self) -> None:
        """Stop workers, beats and web; the servers stay, healthy and empty, for the next fault."""
        for each in self.processes.running():
            if each.name not in ("postgresql", "redis"):
                each.kill()
        self.redis.go_on()
        self.redis.flush()
        self.set_clock(0)
        self.sink.mood = lambda address: ACCEPT
        self.sink.greets, self.sink.takes_seconds = True, 0.0
        self.sink.before_saying_so = lambda client_port: None
        self.sink.taken.clear()
        self.sink.cut.clear()
        self.ask("UPDATE mail_outgoingemail SET state = 'overtaken' WHERE state = 'queued'")
        self.ask("DELETE FROM mail_mailserverhealth")

    def close_sink(self) -> None:
        """The mail server refuses connections."""
        self.sink.close()

    def open_sink(self) -> None:
        """Start the mail server again, with the emails it had accepted."""
        before = self.sink
        self.sink = Sink(before.port)
        self.sink.taken, self.sink.cut, self.sink.mood = before.taken, before.cut, before.mood

    def processes_named(self, name: str) -> Started:
        return next(each for each in self.processes.running() if each.name == name)

    def set_clock(self, hours_ahead: float) -> None:
        """Set the clock of processes started with FAULTS_CLOCK; they notice within a tenth of a second."""
        aside = self.clock.with_suffix(".new")
        aside.write_text(str(hours_ahead * 3600))
        aside.replace(self.clock)

    # Rows

    def ask(self, decision: str, *values: object) -> list[tuple[Any, ...]]:
        """Return rows straight from the database, without the site's code; wait while it is down."""
        end = time.monotonic() + 30
        while True:
            try:
                found = self._connected().execute(decision.encode(), values)
                return found.fetchall() if found.description else []
            except psycopg.OperationalError:
                self._line = None
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def _connected(self) -> psycopg.Connection[tuple[object, ...]]:
        if self._line is None or self._line.closed:
            self._line = self.database.connect()
        return self._line

    def hang_up(self) -> None:
        """Close the connection by which rows are read."""
        if self._line is not None:
            self._line.close()

    def queue_greetings(
        self, count: int, *, addresses: str = "reader#@example.org", hours_old: float = 0
    ) -> None:
        """Queue this many emails of a kind without a game, as outbox.queue would write them."""
        self.ask(GREETINGS, addresses, hours_old * 3600, count)

    def waiting(self) -> int:
        """How many emails are queued."""
        return int(self.ask("SELECT count(*) FROM mail_outgoingemail WHERE state = 'queued'")[0][0])

    def under_way(self) -> set[tuple[str, int]]:
        """Emails that someone has claimed and whose fate is not known: Message-ID and number of the try."""
        return set(self.ask(f"SELECT message_id, attempts FROM mail_outgoingemail WHERE {LEASED}"))

    def let_time_pass(self) -> None:
        """As if every email had waited long enough for its next attempt."""
        self.ask(
            "UPDATE mail_outgoingemail SET not_before = now() - interval '1 second' WHERE state = 'queued'"
        )

    def wait_taken(self, count: int) -> None:
        """Until the mail server has stored so many emails."""
        wait_until(lambda: len(self.sink.taken) >= count, f"{count} emails at the mail server", 5 * HANGS)

    def wait_waiting(self, most: int) -> None:
        """Until no more emails than that are queued."""
        wait_until(lambda: self.waiting() <= most, f"no more than {most} emails to be queued", 5 * HANGS)

    def wait_all_out(self) -> float:
        """Return the seconds until no email is queued."""
        began = time.monotonic()
        wait_until(lambda: not self.waiting(), "the last email to go out", 5 * HANGS)
        return time.monotonic() - began

    def wait_page(self, path: str = "/") -> None:
        """Wait until the web process answers."""
        import urllib.error
        import urllib.request

        def answers() -> bool:
            try:
                with urllib.request.urlopen(self.address + path, timeout=5) as page:
                    return page.status == 200
            except (urllib.error.URLError, OSError):
                return False

        wait_until(answers, "the web process", 5 * HANGS)

    def logs(self, names: Iterable[str] = ()) -> str:
        """Return the ends of the processes' logs, for a failed test."""
        wanted = set(names)
        files = [file for file in sorted(self.folder.glob("*.log")) if not wanted or file.stem in wanted]
        return "\n".join(f"== {file.name}\n{file.read_text(errors='replace')[-3000:]}" for file in files)
