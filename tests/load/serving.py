"""Runs the site that was built, with web processes and workers of its own, at the mean load of its games.

People open pages and post moves at random moments by HTTP; one worker is killed half-way. What it took is
read from the processes.
"""

from __future__ import annotations

import http.client
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from typing import Any
from urllib.parse import urlencode, urlsplit

import psutil
from django.conf import settings
from django.db import connection
from django.utils import timezone

from accounts.mail.models import OutgoingEmail
from games.models import Game, LogEntry, Seat
from tests.faults.processes import Processes
from tests.faults.sink import Sink
from tests.load.work import Waiting, forget_emails, waiting_games
from tests.servers import free_port, wait_until

# A second and running game: a million of them mean 63 moves and 125 pages a second.
MOVES, PAGES = 63e-6, 125e-6
WEB, WORKERS, THREADS = 3, 2, 13
AT_ONCE = 16  # requests under way; more wait here, and their wait counts
TOKEN = "t" * 32
FIRST_PAGES = 60  # not measured: each web process reads its templates for the first one
LAST_EMAIL = 1800  # seconds; on a machine that does other work too, it takes long


def serve(minutes: float, times: float) -> dict[str, object]:
    """Run the site for so long, at so many times its mean load; return what was seen."""
    running = Game.objects.running().count()
    rates = {"pages": running * PAGES * times, "moves": running * MOVES * times}
    seconds = minutes * 60
    last = LogEntry.objects.order_by("pk").values_list("pk", flat=True).last() or 0
    players = list(waiting_games(int(rates["moves"] * seconds * 1.5) + 50))
    _quiet()
    with _site() as (port, processes):
        crowd = _Crowd(port, players, random.Random(1))
        crowd.warm_up()
        before = _spent(processes)
        began = time.monotonic()
        killed = list[float]()
        crowd.run(rates, seconds, half_way=lambda: killed.append(_kill_one(processes)))
        took = time.monotonic() - began
        late = _longest_overdue()
        wait_until(lambda: not _due_emails(), "the last email to go out", LAST_EMAIL)
        drained = time.monotonic() - began - took
        spent = {name: value - before[name] for name, value in _spent(processes).items()}
        spent["workers"] += sum(killed)
    logged = LogEntry.objects.filter(via=LogEntry.Via.WEB, pk__gt=last).count()
    sent = OutgoingEmail.objects.filter(sent_at__gte=crowd.began).count()
    return {
        "running games": running,
        "minutes": minutes,
        "times the mean load": times,
        "pages, ms: median, p95, p99": _quantiles(crowd.took["pages"]),
        "moves, ms: median, p95, p99": _quantiles(crowd.took["moves"]),
        "pages a second": round(len(crowd.took["pages"]) / took, 2),
        "moves a second": round(len(crowd.took["moves"]) / took, 2),
        "emails a second": round(sent / took, 2),
        "refused": crowd.refused,
        "moves that were lost": len(crowd.took["moves"]) - logged,
        "deadline most overdue, s": late,
        "last email out after, s": round(drained, 1),
        "cores that worked": {name: round(value / took, 3) for name, value in spent.items()},
    }


class _Crowd:
    """People who open pages and post moves; each move is another game's."""

    def __init__(self, port: int, players: list[Waiting], rng: random.Random) -> None:
        self._port, self._players, self._rng = port, players, rng
        self._left, self._lock = iter(players), threading.Lock()
        self.began = timezone.now()
        self.took: dict[str, list[float]] = {"pages": [], "moves": []}
        self.refused = 0

    def warm_up(self) -> None:
        with ThreadPoolExecutor(WEB) as pool:
            list(pool.map(lambda player: self._answered("pages", player), self._players[:FIRST_PAGES]))

    def run(self, rates: dict[str, float], seconds: float, half_way: Any) -> None:
        start = time.monotonic()
        moments = sorted(moment for name in rates for moment in self._moments(name, rates[name], seconds))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for moment, name in moments:
                if half_way and moment > seconds / 2:
                    half_way()
                    half_way = None
                time.sleep(max(0.0, start + moment - time.monotonic()))
                pool.submit(self._ask, name, start + moment)

    def _moments(self, name: str, rate: float, seconds: float) -> Iterator[tuple[float, str]]:
        moment = self._rng.expovariate(rate)
        while moment < seconds:
            yield moment, name
            moment += self._rng.expovariate(rate)

    def _ask(self, name: str, since: float) -> None:
        with self._lock:
            player = next(self._left) if name == "moves" else self._rng.choice(self._players)
        status = self._answered(name, player)
        with self._lock:
            if status == (302 if name == "moves" else 200):
                self.took[name].append(time.monotonic() - since)
            else:
                self.refused += 1

    def _answered(self, name: str, player: Waiting) -> int:
        session = player.client.cookies[settings.SESSION_COOKIE_NAME].value
        cookies = f"{settings.SESSION_COOKIE_NAME}={session}; {settings.CSRF_COOKIE_NAME}={TOKEN}"
        line = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        path, headers = f"/games/{player.game}/", {"Cookie": cookies}
        try:
            if name == "moves":
                body = urlencode({**player.form, "csrfmiddlewaretoken": TOKEN})
                headers["Content-Type"] = "application/x-www-form-urlencoded"
                line.request("POST", path + "move/", body, headers)
            else:
                line.request("GET", path, headers=headers)
            answer = line.getresponse()
            answer.read()
            return answer.status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            line.close()


@contextmanager
def _site() -> Iterator[tuple[int, Processes]]:
    """Start web, workers, beat and a mail server for this database."""
    port, sink = free_port(), Sink(free_port())
    address = urlsplit(os.environ["DATABASE_URL"])
    more = {
        "DATABASE_URL": address._replace(path=f"/{connection.settings_dict['NAME']}").geturl(),
        "EMAIL_URL": sink.url,
        "SITE_URL": f"http://127.0.0.1:{port}",
    }
    python = sys.executable
    with tempfile.TemporaryDirectory(prefix="condottiere-load-") as folder:
        processes = Processes(Path(folder))
        web = ["gunicorn", "--config", "deploy/gunicorn_settings.py", "--bind", f"127.0.0.1:{port}"]
        started = processes.start("web", [python, "-m", *web, "--workers", str(WEB)], more)
        celery = [python, "-m", "celery", "-A", "condottiere_site"]
        for number in range(WORKERS):
            _start_worker(processes, f"worker{number}", more)
        processes.start("beat", [*celery, "beat", "--pidfile", ""], more)
        try:
            wait_until(lambda: _answers(port), f"the site: {started.tail()}", 120)
            yield port, processes
        finally:
            processes.close()
            sink.close()


def _start_worker(processes: Processes, name: str, more: dict[str, str]) -> None:
    words = ["worker", "--pool", "threads", "--concurrency", str(THREADS), "--hostname", f"{name}@load"]
    processes.start(name, [sys.executable, "-m", "celery", "-A", "condottiere_site", *words], more)


def _answers(port: int) -> bool:
    try:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        line.request("GET", "/healthz")
        return line.getresponse().status == 200
    except OSError:
        return False


def _kill_one(processes: Processes) -> float:
    """Kill a worker; the other one does its work. Return the processor seconds it had taken."""
    worker = next(each for each in processes.running() if each.name == "worker0")
    spent = worker.processor_seconds()
    worker.kill()
    return spent


def _quiet() -> None:
    """Leave only what people do from now on: no email waits, and no deadline is near."""
    forget_emails()
    Seat.objects.filter(due_at__lte=timezone.now()).update(due_at=None)


def _due_emails() -> bool:
    return OutgoingEmail.objects.due(timezone.now()).exists()


def _longest_overdue() -> float:
    """Return for how many seconds a deadline has waited to be enforced."""
    due = Seat.objects.filter(due_at__lte=timezone.now()).order_by("due_at").values_list("due_at", flat=True)
    first = due.first()
    return round((timezone.now() - first).total_seconds(), 1) if first else 0.0


def _spent(processes: Processes) -> dict[str, float]:
    """Return the processor seconds of web, workers and PostgreSQL so far; of those that run."""
    spent = {"web": 0.0, "workers": 0.0}
    for each in processes.running():
        kind = "web" if each.name == "web" else "workers"
        spent[kind] += _seconds_of(psutil.Process(each.pid))
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE pid = pg_backend_pid()")
        server = psutil.Process(psutil.Process(cursor.fetchone()[0]).ppid())
    spent["PostgreSQL"] = _seconds_of(server)
    return spent


def _seconds_of(process: psutil.Process) -> float:
    """Return the processor seconds of a process and its children, also of those that have ended."""
    found = 0.0
    for each in (process, *process.children(recursive=True)):
        times = each.cpu_times()
        found += times.user + times.system
    times = process.cpu_times()
    return found + times.children_user + times.children_system


def _quantiles(values: list[float]) -> list[float]:
    if len(values) < 2:
        return []
    hundred = quantiles(values, n=100, method="inclusive")
    return [round(1000 * hundred[at - 1], 1) for at in (50, 95, 99)]
