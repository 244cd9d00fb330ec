"""People post moves while Redis hangs, and while the mail server takes two seconds for each email."""

from __future__ import annotations

import random
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from tests.faults.counts import Counts, Tally
from tests.faults.players import Play
from tests.faults.site import Site

AS_USUAL = "as usual"
AT_MOST = 4 / 3  # of the usual time
EMAIL_TAKES = 2.0  # seconds
EMAILS = 30  # that wait all the time, so that the mail server is always busy
MOVES_A_SECOND = 20  # and no game is as fast


def alongside_trouble(site: Site, rounds: int, seconds: float, rng: random.Random) -> Counts:
    """Take turns: all is well, Redis hangs, the mail server is slow. Compare the medians of posted moves."""
    counts, tally = Counts("posting while a server is in trouble"), Tally(site)
    site.start_missing("worker", "beat", "web")
    site.wait_page()
    site.queue_greetings(1)
    site.wait_all_out()
    phases = {AS_USUAL: _well, "Redis hangs": _hanging, "slow mail server": _slow}
    play = Play(site, 1, rng, int(rounds * len(phases) * seconds) * MOVES_A_SECOND)
    play.start()
    play.wait_moves(6)
    took: dict[str, list[float]] = defaultdict(list)
    for name in [*phases] * rounds:
        with phases[name](site):
            play.wait_moves(1)  # it may have begun before
            before = len(play.seconds)
            time.sleep(seconds)
            play.wait_moves(1)
            took[name] += play.seconds[before:]
    play.stop()
    counts.seconds = site.wait_all_out()
    tally.count(counts)
    play.check(counts)
    usual = statistics.median(took[AS_USUAL])
    counts.more[AS_USUAL] = f"{1000 * usual:.0f} ms ({len(took.pop(AS_USUAL))} moves)"
    for name, times in took.items():
        ratio = statistics.median(times) / usual
        counts.more[name] = f"{ratio:.2f} of that ({len(times)} moves)"
        counts.more[f"{name}, slowest"] = f"{max(times):.2f} s"
        counts.ratios[name] = ratio
        counts.expect_soon(ratio <= AT_MOST, f"{name}: a move took {ratio:.2f} of its usual time")
    return counts


@contextmanager
def _well(_site: Site) -> Iterator[None]:
    yield


@contextmanager
def _hanging(site: Site) -> Iterator[None]:
    site.redis.hang()
    try:
        yield
    finally:
        site.redis.go_on()


@contextmanager
def _slow(site: Site) -> Iterator[None]:
    site.sink.takes_seconds = EMAIL_TAKES
    site.queue_greetings(EMAILS)
    try:
        yield
    finally:
        site.sink.takes_seconds = 0.0
