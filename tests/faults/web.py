"""Web processes are killed while people send their moves."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import suppress

import psutil

from tests.faults.counts import Counts
from tests.faults.players import Play
from tests.faults.processes import Started
from tests.faults.site import Site

MOST_MOVES = 6  # between two kills


def killed(site: Site, kills: int, games: int, rng: random.Random) -> Counts:
    """Kill web processes during posts: one of them, or every fourth time all with their parent."""
    counts, web = Counts("web process killed during posts"), site.start_web()
    site.wait_page()
    play = Play(site, games, rng, MOST_MOVES * kills)
    play.start()
    for number in range(kills):
        play.wait_moves(rng.randint(2, MOST_MOVES))
        time.sleep(rng.uniform(0, 0.1))
        if number % 4 == 3:
            web.kill()
            web = site.start_web()
        else:
            _kill_one(web, rng)
    play.wait_moves(5)
    play.stop()
    play.check(counts)
    counts.more["kills"] = kills
    counts.expect(len(play.answered) > kills, "too few moves were played")
    return counts


def _kill_one(web: Started, rng: random.Random) -> None:
    """Kill one web process; its parent starts another."""
    with suppress(psutil.Error, ProcessLookupError):
        children = psutil.Process(web.pid).children()
        if children:
            os.kill(rng.choice(children).pid, signal.SIGKILL)
