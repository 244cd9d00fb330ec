"""Mail workers are killed, and asked to stop."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count, cycle

import psutil

from tests.faults.counts import Counts, Tally
from tests.faults.processes import Started
from tests.faults.site import Site
from tests.servers import HANGS, wait_until

TAKES = 0.02  # seconds the mail server ponders an email, so that a kill finds some under way
WORKERS = 2
ALL_OUT_WITHIN = 30.0
MOST_WAITING = 300  # more would measure how many emails a second two workers send, not what a death costs


class Crew:
    """Some workers at one queue; a worker that ends is replaced at once, as a supervisor would."""

    def __init__(self, site: Site) -> None:
        self._site, self._numbers = site, count(1)
        self.workers = [self._hired() for _ in range(WORKERS)]

    def _hired(self) -> Started:
        return self._site.start_worker(f"worker{next(self._numbers)}")

    def replace(self, worker: Started) -> None:
        self.workers.remove(worker)
        self.workers.append(self._hired())

    def who_has(self, port: int) -> Started | None:
        """Return the worker whose connection comes from this port."""
        return next((worker for worker in self.workers if port in _ports(worker.pid)), None)


def _ports(pid: int) -> set[int]:
    try:
        return {line.laddr.port for line in psutil.Process(pid).net_connections("tcp") if line.laddr}
    except psutil.Error:
        return set()


@dataclass
class Round:
    """Queue some emails, and kill a worker while they go out."""

    site: Site
    crew: Crew
    emails: int
    rng: random.Random

    def at_random(self) -> Started:
        """SIGKILL at a random moment."""
        taken = len(self.site.sink.taken)
        self.site.queue_greetings(self.emails)
        self.site.wait_taken(taken + 1)
        time.sleep(self.rng.uniform(0, 0.3))
        worker = self.rng.choice(self.crew.workers)
        worker.kill()
        return worker

    def after_250(self) -> Started:
        """SIGKILL right after the server has said 250 for an email, before the worker reads it."""
        left = count(self.rng.randint(1, max(1, self.emails // 2)), -1)
        killed: list[Started] = []
        done, lock = threading.Event(), threading.Lock()

        def before_saying_so(port: int) -> Callable[[], None] | None:
            with lock:
                worker = self.crew.who_has(port) if not killed and next(left) <= 1 else None
                if worker is None:
                    return None
                killed.append(worker)
            worker.signal(signal.SIGSTOP)  # it cannot read the 250 before it dies
            return lambda: (worker.kill(), done.set())[1]

        self.site.sink.before_saying_so = before_saying_so
        self.site.queue_greetings(self.emails)
        wait_until(done.is_set, "an email to be stored")
        self.site.sink.before_saying_so = lambda port: None
        return killed[0]


Way = Callable[[Round], Started]


def killed_both_ways(site: Site, kills: int, emails: int, rng: random.Random) -> Counts:
    """Kill at random moments and right after the 250, in turn."""
    ways = [Round.at_random, Round.after_250]
    counts = _killed(site, "mail worker killed in both ways", kills, emails, rng, ways)
    counts.expect(counts.doubled or kills < 2, "no kill came right after a 250")
    return counts


def killed_at_random(site: Site, kills: int, emails: int, rng: random.Random) -> Counts:
    """Kill at random moments only."""
    return _killed(site, "mail worker killed at random moments", kills, emails, rng, [Round.at_random])


def killed_after_250(site: Site, kills: int, emails: int, rng: random.Random) -> Counts:
    """Kill right after the 250 only."""
    counts = _killed(site, "mail worker killed right after 250", kills, emails, rng, [Round.after_250])
    counts.expect(counts.doubled, "no kill came right after a 250")
    return counts


def _killed(site: Site, fault: str, kills: int, emails: int, rng: random.Random, ways: list[Way]) -> Counts:
    counts, tally, crew = Counts(fault), Tally(site), Crew(site)
    site.start_beat()
    site.sink.takes_seconds = TAKES
    each = max(1, emails // kills)
    for number, way in zip(range(kills), cycle(ways), strict=False):
        rest = emails - each * (kills - 1)
        site.wait_waiting(MOST_WAITING)
        died = way(Round(site, crew, each if number < kills - 1 else rest, rng))
        tally.note_kill(counts)
        crew.replace(died)
    counts.seconds = site.wait_all_out()
    tally.count(counts)
    counts.more["kills"] = kills
    late = f"the last was out {counts.seconds:.0f} s after the last kill"
    counts.expect_soon(counts.seconds <= ALL_OUT_WITHIN, late)
    return counts


def asked_to_stop(site: Site, times: int, emails: int, rng: random.Random) -> Counts:
    """On SIGTERM the present email is finished and recorded, and nothing is sent twice."""
    counts, tally, crew = Counts("mail worker asked to stop (SIGTERM)"), Tally(site), Crew(site)
    site.start_beat()
    site.sink.takes_seconds = TAKES
    slowest = 0.0
    for _ in range(times):
        site.queue_greetings(emails // times)
        site.wait_taken(len(site.sink.taken) + 1)
        time.sleep(rng.uniform(0, 0.3))
        worker = rng.choice(crew.workers)
        began = time.monotonic()
        worker.signal(signal.SIGTERM)
        counts.expect(worker.ended(HANGS), "a worker did not stop")
        slowest = max(slowest, time.monotonic() - began)
        crew.replace(worker)
    counts.seconds = site.wait_all_out()
    tally.count(counts)
    counts.more |= {"stops": times, "slowest stop": f"{slowest:.1f} s"}
    counts.expect(not counts.doubled, f"{counts.doubled} emails were doubled")
    counts.expect_soon(slowest < STOPS_WITHIN, f"a worker took {slowest:.0f} s to stop")
    return counts


STOPS_WITHIN = 9.0  # a container is given ten seconds before it is killed


def beats(site: Site, emails: int, rng: random.Random) -> Counts:
    """Two beats at once give twice as many ticks, and no email twice."""
    counts, tally = Counts("two beats at once"), Tally(site)
    crew = Crew(site)
    site.start_beat("beat1")
    site.start_beat("beat2")
    site.wait_all_out()
    site.queue_greetings(emails)
    counts.seconds = site.wait_all_out()
    tally.count(counts)
    counts.more["workers"] = len(crew.workers)
    counts.expect(not counts.doubled, f"{counts.doubled} emails were doubled")
    return counts


def ticks_left(site: Site, ticks: float, emails: int) -> Counts:
    """No worker ran for hours, and beat's ticks fill the broker: they do not delay what is due."""
    counts, tally = Counts("no worker for hours, its ticks lie there"), Tally(site)
    lying = site.staged("ticks", str(ticks))
    site.queue_greetings(emails, hours_old=ticks / 3600)
    began = time.monotonic()
    site.start_worker()
    site.start_beat()
    site.wait_all_out()
    site.queue_greetings(1)
    site.wait_all_out()
    counts.seconds = time.monotonic() - began
    tally.count(counts)
    counts.more |= {"seconds of beat": ticks, "lying there": lying}
    counts.expect_soon(
        counts.seconds <= ALL_OUT_WITHIN, f"the last was out {counts.seconds:.0f} s after the start"
    )
    counts.expect(not counts.doubled, f"{counts.doubled} emails were doubled")
    return counts
