"""Redis is down, hangs or forgets everything while people play and emails are due."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable

from tests.faults.counts import Counts, Tally
from tests.faults.players import Play
from tests.faults.site import Site

CAUGHT_UP_WITHIN = 30.0
MOVES_A_SECOND = 20  # and no game is as fast
# A page's answer on a busy machine; waiting for a broker would take five seconds at least.
SLOWEST_ANSWER = 4.5


def down(site: Site, seconds: float, rng: random.Random) -> Counts:
    """Connections are refused."""
    return _troubled(site, "Redis down", seconds, rng, site.redis.kill, site.redis.start)


def hanging(site: Site, seconds: float, rng: random.Random) -> Counts:
    """Accept connections and never answer."""
    return _troubled(site, "Redis hanging", seconds, rng, site.redis.hang, site.redis.go_on)


def flushed(site: Site, seconds: float, rng: random.Random) -> Counts:
    """Everything in it is lost at once, and again some seconds later."""
    return _troubled(site, "Redis flushed", seconds, rng, site.redis.flush, site.redis.flush)


def _troubled(
    site: Site,
    fault: str,
    seconds: float,
    rng: random.Random,
    begin: Callable[[], object],
    end: Callable[[], object],
) -> Counts:
    counts, tally = Counts(fault), Tally(site)
    site.start_missing("worker", "beat", "web")
    site.wait_page()
    site.queue_greetings(5)
    site.wait_all_out()
    play = Play(site, 1, rng, int(seconds) * MOVES_A_SECOND)
    play.start()
    play.wait_moves(6)
    before = len(play.seconds)
    begin()
    began = time.monotonic()
    site.queue_greetings(10)
    play.wait_moves(6)
    time.sleep(max(0.0, seconds - (time.monotonic() - began)))
    slowest = max(play.seconds[before:])
    middle = statistics.median(play.seconds[before:]) / statistics.median(play.seconds[:before])
    end()
    play.stop()
    counts.seconds = site.wait_all_out()
    tally.count(counts)
    play.check(counts)
    counts.more |= {
        "for": f"{seconds:.0f} s",
        "median answer": f"{middle:.2f} of before",
        "slowest": f"{slowest:.2f} s",
    }
    counts.expect_soon(
        counts.seconds <= CAUGHT_UP_WITHIN, f"emails were out {counts.seconds:.0f} s after its return"
    )
    counts.expect_soon(slowest < SLOWEST_ANSWER, f"a move was answered after {slowest:.1f} s")
    counts.expect(not counts.doubled, f"{counts.doubled} emails were doubled")
    return counts
