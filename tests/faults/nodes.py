"""One worker node and two, with the same overdue deadlines: how long each takes, and who waits for whom."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.faults.counts import Counts, Tally
from tests.faults.crowds import AS_A_SITE, OVERDUE, alongside, gather
from tests.faults.processes import Started
from tests.faults.site import Site
from tests.servers import HANGS, wait_until

THREADS = 11  # as docs/HOSTING.md says
WAITS_AT_MOST = 5.0  # per cent of a node's time
STALLS_AT_MOST = 5.0  # seconds without a move of the clock
LOOKED_EVERY = 0.05  # seconds

# Connections of a node that wait for a row which another node has locked, and what they want it for.
WAITING = """
SELECT DISTINCT pid, application_name, regexp_replace(query, '[^"]*"([a-z_]+)".*', '\\1')
FROM pg_stat_activity AS waiting
WHERE wait_event_type = 'Lock' AND application_name LIKE 'node%%' AND EXISTS (
    SELECT FROM pg_stat_activity AS other
    WHERE other.pid = ANY(pg_blocking_pids(waiting.pid)) AND other.application_name LIKE 'node%%'
        AND other.application_name <> waiting.application_name
)
"""
PLAYED = "SELECT count(*) FROM games_logentry WHERE via = 'clock'"


@dataclass
class Watched:
    """What one look after the other saw while the nodes worked."""

    looks: int = 0
    waits: Counter[str] = field(default_factory=Counter)  # by the table of the row
    stall: float = 0.0

    def share(self, nodes: int) -> float:
        """Return how many per cent of a node's time one of its tasks waited for another node's row."""
        return 100 * self.waits.total() / max(1, self.looks * nodes)


def deadlines(site: Site, games: int, due: int) -> Counts:
    """The same overdue deadlines for one node, then for two; each node has a worker and a beat."""
    counts, tally = Counts(f"{due} deadlines, one node and two"), Tally(site)
    alone, _ = _enforced(site, games, due, 1)
    together, watched = _enforced(site, games, due, 2)
    counts.seconds = together
    share = watched.share(2)
    tables = ", ".join(f"{table} {count}" for table, count in watched.waits.most_common(3))
    counts.more |= {
        "one node": f"{alone:.0f} s",
        "two nodes": f"{together:.0f} s",
        "ratio": f"{together / alone:.2f}",
        "waiting": f"{share:.1f} % ({tables or 'never'}, of {watched.looks} looks)",
        "longest stall": f"{watched.stall:.1f} s",
    }
    tally.count(counts)
    counts.expect_soon(share <= WAITS_AT_MOST, f"nodes waited for each other {share:.0f} % of their time")
    counts.expect_soon(together <= alone, "two nodes were slower than one")
    counts.expect_soon(watched.stall <= STALLS_AT_MOST, f"the clock stood still for {watched.stall:.0f} s")
    return counts


def start_node(site: Site, number: int) -> list[Started]:
    """Start one node's worker and beat."""
    name = f"node{number}"
    worker = site.start_worker(f"{name}-worker", THREADS, PGAPPNAME=name)
    return [worker, site.start_beat(f"{name}-beat", PGAPPNAME=name, **AS_A_SITE)]


def _enforced(site: Site, games: int, due: int, nodes: int) -> tuple[float, Watched]:
    """Return the seconds until all deadlines are enforced, and what was seen in between."""
    gather(site, games)
    before = _played(site)
    processes = [each for number in range(nodes) for each in start_node(site, number)]
    wait_until(lambda: len(_nodes_there(site)) == nodes, "all nodes to work")
    site.queue_greetings(1)  # once it is out, a first round of ticks is over
    site.wait_all_out()
    site.ask(OVERDUE, due)
    began = time.monotonic()
    with _watching(site) as watched:
        wait_until(lambda: _played(site) - before >= due, "all deadlines to be enforced", 5 * HANGS)
        seconds = time.monotonic() - began
    site.wait_all_out()
    for each in processes:
        each.kill()
    site.redis.flush()
    return seconds, watched


def _nodes_there(site: Site) -> list[object]:
    """Return the nodes with a connection to the database."""
    names = "SELECT DISTINCT application_name FROM pg_stat_activity WHERE application_name LIKE 'node%%'"
    return [name for (name,) in site.ask(names)]


def _played(site: Site) -> int:
    return int(site.ask(PLAYED)[0][0])


@contextmanager
def _watching(site: Site) -> Iterator[Watched]:
    """Look at the connections again and again, and at when the clock last made a move."""
    seen, over = Watched(), threading.Event()

    def watch() -> None:
        played, since = 0, time.monotonic()
        with site.database.connect() as line:
            while not over.wait(LOOKED_EVERY):
                seen.looks += 1
                seen.waits.update(str(table) for _pid, _node, table in line.execute(WAITING).fetchall())
                now = int(str(line.execute(PLAYED).fetchone()[0]))  # type: ignore[index]
                if now > played:
                    played, since = now, time.monotonic()
                seen.stall = max(seen.stall, time.monotonic() - since)

    with alongside(watch, over):
        yield seen
