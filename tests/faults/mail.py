"""Workers that carry letters are killed, and asked to stop."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from itertools import count

import psutil

from tests.faults.counts import Counts, Tally
from tests.faults.processes import Started
from tests.faults.site import Site
from tests.services import wait_until

TAKES = 0.02  # seconds the mail server ponders a letter, so that a kill finds some under way
WORKERS = 2
ALL_OUT_WITHIN = 30.0


class Crew:
    """Some workers at one queue; whoever ends is replaced at once, as a supervisor would."""

    def __init__(self, site: Site) -> None:
        self._site, self._numbers = site, count(1)
        self.workers = [self._hired() for _ in range(WORKERS)]

    def _hired(self) -> Started:
        return self._site.start_worker(f"worker{next(self._numbers)}")

    def replace(self, worker: Started) -> None:
        self.workers.remove(worker)
        self.workers.append(self._hired())

    def who_has(self, port: int) -> Started | None:
        """The worker whose connection comes from this port."""
        return next((worker for worker in self.workers if port in _ports(worker.pid)), None)


def _ports(pid: int) -> set[int]:
    try:
        return {line.laddr.port for line in psutil.Process(pid).net_connections("tcp") if line.laddr}
    except psutil.Error:
        return set()


def killed_at_random(site: Site, kills: int, letters: int, rng: random.Random) -> Counts:
    """SIGKILL to a worker at random moments while letters go out."""

    def kill(crew: Crew, tally: Tally, counts: Counts) -> None:
        time.sleep(rng.uniform(0, 0.3))
        worker = rng.choice(crew.workers)
        worker.kill()
        tally.note_kill(counts)
        crew.replace(worker)

    return _killed(site, Counts("mail worker killed at random moments"), kills, letters, kill)


def killed_after_250(site: Site, kills: int, letters: int, rng: random.Random) -> Counts:
    """SIGKILL right after the server has said 250: the worker knows nothing of it yet."""

    def kill(crew: Crew, tally: Tally, counts: Counts) -> None:
        killed: list[Started] = []
        done = threading.Event()
        lock = threading.Lock()

        def before_saying_so(port: int) -> Callable[[], None] | None:
            with lock:
                worker = None if killed else crew.who_has(port)
                if worker is None:
                    return None
                killed.append(worker)
            os.kill(worker.pid, signal.SIGSTOP)  # it cannot read the 250 before it dies

            def then() -> None:
                worker.kill()
                done.set()

            return then

        site.sink.before_saying_so = before_saying_so
        wait_until(done.is_set, 60, "a letter to be stored")
        site.sink.before_saying_so = lambda port: None
        tally.note_kill(counts)
        crew.replace(killed[0])

    counts = _killed(site, Counts("mail worker killed right after 250"), kills, letters, kill)
    counts.expect(counts.doubled >= min(1, kills), "no kill came right after a 250")
    return counts


def _killed(
    site: Site, counts: Counts, kills: int, letters: int, kill: Callable[[Crew, Tally, Counts], None]
) -> Counts:
    tally, crew = Tally(site), Crew(site)
    site.start_beat()
    site.sink.takes_seconds = TAKES
    each = max(1, letters // kills)
    for number in range(kills):
        site.queue_greetings(each if number < kills - 1 else letters - each * (kills - 1))
        site.wait_taken(len(site.sink.taken) + 1)
        kill(crew, tally, counts)
    counts.seconds = site.wait_all_out(120)
    tally.count(counts)
    counts.more["kills"] = kills
    counts.expect(
        counts.seconds <= ALL_OUT_WITHIN, f"the last was out {counts.seconds:.0f} s after the last kill"
    )
    return counts


def asked_to_stop(site: Site, times: int, letters: int, rng: random.Random) -> Counts:
    """SIGTERM: the letter under way is finished and recorded, and nothing is doubled."""
    counts, tally, crew = Counts("mail worker asked to stop (SIGTERM)"), Tally(site), Crew(site)
    site.start_beat()
    site.sink.takes_seconds = TAKES
    slowest = 0.0
    for _ in range(times):
        site.queue_greetings(letters // times)
        site.wait_taken(len(site.sink.taken) + 1)
        time.sleep(rng.uniform(0, 0.3))
        worker = rng.choice(crew.workers)
        began = time.monotonic()
        worker.signal(signal.SIGTERM)
        counts.expect(worker.ended(30), "a worker did not stop within 30 s")
        slowest = max(slowest, time.monotonic() - began)
        crew.replace(worker)
    counts.seconds = site.wait_all_out(60)
    tally.count(counts)
    counts.more |= {"stops": times, "slowest stop": f"{slowest:.1f} s"}
    counts.expect(not counts.doubled, f"{counts.doubled} letters were doubled")
    counts.expect(slowest < STOPS_WITHIN, f"a worker took {slowest:.0f} s to stop")
    return counts


STOPS_WITHIN = 9.0  # a container is given ten seconds before it is killed


def beats(site: Site, letters: int, rng: random.Random) -> Counts:
    """Two beats at once: twice as many ticks, no letter twice."""
    counts, tally = Counts("two beats at once"), Tally(site)
    crew = Crew(site)
    site.start_beat("beat1")
    site.start_beat("beat2")
    site.wait_all_out(30)
    site.queue_greetings(letters)
    counts.seconds = site.wait_all_out(60)
    tally.count(counts)
    counts.more["workers"] = len(crew.workers)
    counts.expect(not counts.doubled, f"{counts.doubled} letters were doubled")
    return counts


def ticks_left(site: Site, ticks: int, letters: int) -> Counts:
    """No worker came for hours and beat's ticks lie in the broker: they do not hold up what is due."""
    counts, tally = Counts("no worker for hours, its ticks lie there"), Tally(site)
    site.staged("ticks", str(ticks))
    site.queue_greetings(letters, hours_old=ticks / 3600)
    began = time.monotonic()
    site.start_worker()
    site.start_beat()
    site.wait_all_out(120)
    site.queue_greetings(1)
    site.wait_all_out(120)
    counts.seconds = time.monotonic() - began
    tally.count(counts)
    counts.more["ticks"] = ticks
    counts.expect(
        counts.seconds <= ALL_OUT_WITHIN, f"the last was out {counts.seconds:.0f} s after the start"
    )
    counts.expect(not counts.doubled, f"{counts.doubled} letters were doubled")
    return counts
