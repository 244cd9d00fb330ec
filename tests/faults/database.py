"""PostgreSQL is killed while people play and emails go out."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from tests.faults.counts import Counts, Tally
from tests.faults.players import Play
from tests.faults.site import Site

RECOVERED_WITHIN = 30.0
MOST_MOVES = 6  # between two kills


def killed(site: Site, kills: int, away: float, rng: random.Random) -> Counts:
    """The whole server dies, is away for some seconds, and comes back."""

    def kill() -> None:
        site.database.kill()
        time.sleep(away)
        site.database.start()

    return _troubled(site, "PostgreSQL killed", kills, rng, kill)


def backend_killed(site: Site, kills: int, rng: random.Random) -> Counts:
    """One connection's process dies; the server drops all others too, and recovers automatically."""
    return _troubled(site, "PostgreSQL backend killed", kills, rng, site.database.kill_one_backend)


def _troubled(site: Site, fault: str, kills: int, rng: random.Random, kill: Callable[[], None]) -> Counts:
    counts, tally = Counts(fault), Tally(site)
    site.start_missing("worker", "beat", "web")
    parts = [site.processes_named(name) for name in ("worker", "beat", "web")]
    site.wait_page()
    site.sink.takes_seconds = 0.02
    play = Play(site, 2, rng, 2 * MOST_MOVES * kills)
    play.start()
    slowest = 0.0
    for _ in range(kills):
        site.queue_greetings(20)
        play.wait_moves(rng.randint(2, MOST_MOVES))
        time.sleep(rng.uniform(0, 0.2))
        kill()
        tally.note_kill(counts)
        back = time.monotonic()
        play.wait_moves(3, 90)
        slowest = max(slowest, time.monotonic() - back)
    play.stop()
    counts.seconds = site.wait_all_out()
    tally.count(counts)
    play.check(counts)
    counts.more |= {"kills": kills, "slowest to play on": f"{slowest:.1f} s"}
    counts.expect(all(part.is_running for part in parts), "a process ended instead of waiting")
    counts.expect_soon(slowest <= RECOVERED_WITHIN, f"nobody could play for {slowest:.0f} s after its return")
    counts.expect_soon(
        counts.seconds <= RECOVERED_WITHIN, f"emails were out {counts.seconds:.0f} s after its return"
    )
    return counts
