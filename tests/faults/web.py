"""Web processes are killed while people send their moves."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil

from tests.faults.counts import Counts
from tests.faults.players import Play
from tests.faults.processes import Started
from tests.faults.site import Site
from tests.servers import wait_until

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


def killed_in_chains(site: Site, kills: int, games: int, rng: random.Random) -> Counts:
    """Kill the web process in which standing orders answer, or every fourth time all with their parent."""
    counts, slow = Counts("web process killed while orders answer"), {"SLOW_ORDERS": str(site.folder)}
    web, in_chains = site.start_web(**slow), 0
    site.wait_page()
    play = Play(site, games, rng, 2 * MOST_MOVES * kills, has_orders=True)
    play.start()
    for number in range(kills):
        play.wait_moves(rng.randint(1, MOST_MOVES // 2))
        wait_until(lambda: list(site.folder.glob("answering-*")), "an order to answer")
        time.sleep(rng.uniform(0, 0.1))
        marks = list(site.folder.glob("answering-*"))
        if number % 4 == 3:
            web.kill()
            web = site.start_web(**slow)
        else:
            _kill_answering(marks)
        in_chains += _cut_short(marks)
    play.wait_moves(5)
    play.stop()
    play.check(counts)
    counts.more |= {"kills": kills, "in chains": in_chains}
    counts.expect(in_chains > kills // 4, "too few kills were in a chain of orders")
    return counts


def _kill_answering(marks: Iterable[Path]) -> None:
    """Kill the processes in which an order is just answering; their parent starts others."""
    for pid in {int(mark.name.split("-")[1]) for mark in marks}:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _cut_short(marks: Iterable[Path]) -> int:
    """Return how many answers of orders were cut short: no one has removed their marks."""
    time.sleep(0.3)
    cut = [mark for mark in marks if mark.exists()]
    for mark in cut:
        mark.unlink(missing_ok=True)
    return len(cut)


def _kill_one(web: Started, rng: random.Random) -> None:
    """Kill one web process; its parent starts another."""
    with suppress(psutil.Error, ProcessLookupError):
        children = psutil.Process(web.pid).children()
        if children:
            os.kill(rng.choice(children).pid, signal.SIGKILL)
