"""Worker nodes with many overdue deadlines: how long one takes and two, and what is left if one is killed."""

from __future__ import annotations

import signal
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
PLAYED_SINCE = """
SELECT table_id, seat, decision_step FROM games_logentry JOIN games_game ON games_game.id = game_id
WHERE via = 'clock' AND games_logentry.id > %s
"""
TOLD_SINCE = "SELECT count(*) FROM mail_outgoingemail WHERE kind = 'time_out' AND id > %s"
# Transactions of a node that have written to a game's log, and wait for its next statement.
MOVING = """
SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE application_name = %s AND state = 'idle in transaction'
    AND relation = 'games_logentry'::regclass AND mode = 'RowExclusiveLock'
"""
MOST_REPLAYED = 200  # games


@dataclass
class Watched:
    """What one look after the other saw while the nodes worked."""

    looks: int = 0
    waits: Counter[str] = field(default_factory=Counter)  # by the table of the row
    first: float = 0.0  # seconds until the first move, which waits for a tick
    stall: float = 0.0  # the longest time without a move after that

    def share(self, nodes: int) -> float:
        """Return how many per cent of a node's time one of its tasks waited for another node's row."""
        return 100 * self.waits.total() / max(1, self.looks * nodes)


def deadlines(site: Site, games: int, due: int) -> Counts:
    """The same overdue deadlines for one node, then for two; each node has a worker and a beat."""
    counts, tally = Counts(f"{due} deadlines, one node and two"), Tally(site)
    alone, by_one = _enforced(site, games, due, 1, counts)
    together, by_two = _enforced(site, games, due, 2, counts)
    counts.seconds = together
    share = by_two.share(2)
    tables = ", ".join(f"{table} {count}" for table, count in by_two.waits.most_common(3))
    counts.more |= {
        "one node": f"{alone:.0f} s",
        "two nodes": f"{together:.0f} s",
        "ratio": f"{together / alone:.2f}",
        "waiting": f"{share:.1f} % ({tables or 'never'}, of {by_two.looks} looks)",
        "first moves after": f"{by_one.first:.1f} and {by_two.first:.1f} s",
        "longest stalls": f"{by_one.stall:.1f} and {by_two.stall:.1f} s",
    }
    tally.count(counts)
    counts.expect_soon(share <= WAITS_AT_MOST, f"nodes waited for each other {share:.0f} % of their time")
    counts.expect_soon(together <= alone, "two nodes were slower than one")
    counts.expect_soon(by_two.stall <= STALLS_AT_MOST, f"the clock stood still for {by_two.stall:.0f} s")
    return counts


def killed(site: Site, games: int, due: int) -> Counts:
    """One of two nodes is killed in the middle of a move; the other enforces what is left."""
    counts, tally = Counts(f"{due} deadlines, one of two nodes killed"), Tally(site)
    nodes = _start(site, games, 2)
    overdue = Overdue(site, due)
    wait_until(overdue.played, "the first deadlines to be enforced")
    worker = nodes[0]
    caught = _stopped_in_a_move(site, worker, overdue)
    tally.note_kill(counts)
    before = len(overdue.played())
    for each in nodes[:2]:
        each.kill()
    began = time.monotonic()
    overdue.wait_enforced()
    counts.seconds = time.monotonic() - began
    counts.more |= {"moves before the kill": before, "in the middle of a move": caught}
    counts.expect(caught, "the node was not killed in the middle of a move")
    overdue.check(counts)
    tally.count(counts)
    return counts


def two_beats(site: Site, games: int, due: int) -> Counts:
    """Two beats wake two workers by one Redis; each deadline is enforced once."""
    counts, tally = Counts(f"{due} deadlines, two beats"), Tally(site)
    _start(site, games, 2)
    overdue, began = Overdue(site, due), time.monotonic()
    overdue.wait_enforced()
    counts.seconds = time.monotonic() - began
    overdue.check(counts)
    tally.count(counts)
    counts.expect(not counts.doubled, f"{counts.doubled} emails were doubled")
    return counts


class Overdue:
    """The decisions of some people whose time has just run out."""

    def __init__(self, site: Site, due: int) -> None:
        """Let the time of so many people run out."""
        self._site = site
        self._last_move, self._last_email = (
            site.ask(f"SELECT coalesce(max(id), 0) FROM {table}")[0][0]
            for table in ("games_logentry", "mail_outgoingemail")
        )
        self.decisions = site.ask(f"{OVERDUE} RETURNING table_id, number, decision_step", due)

    def played(self) -> list[tuple[int, int, int]]:
        """Return the decisions for which the clock has played since."""
        return self._site.ask(PLAYED_SINCE, self._last_move)

    def wait_enforced(self) -> None:
        wait_until(
            lambda: len(self.played()) >= len(self.decisions), "all deadlines to be enforced", 5 * HANGS
        )

    def check(self, counts: Counts) -> None:
        """Check after one more tick that the clock played and announced each decision once."""
        _wait_for_tick(self._site)
        self._site.wait_all_out()
        played = Counter(self.played())
        counts.expect(played == Counter(self.decisions), f"{played.total()} moves for {len(self.decisions)}")
        told = self._site.ask(TOLD_SINCE, self._last_email)[0][0]
        counts.expect(told == len(self.decisions), f"{told} people were told of {len(self.decisions)}")
        games = self._site.ask("SELECT id FROM games_game WHERE table_id = ANY(%s)", self._some_tables())
        words = [word for (game,) in games for word in ("--game", str(game))]
        try:
            self._site.run("manage.py", "replay_games", *words)
        except RuntimeError as error:
            counts.expect(False, f"a log does not replay: {error}"[:400])

    def _some_tables(self) -> list[int]:
        return [table for table, _seat, _step in self.decisions][:MOST_REPLAYED]


def _stopped_in_a_move(site: Site, worker: Started, overdue: Overdue) -> bool:
    """Stop a worker's process where it has written a move but not committed it; return whether it was met."""
    while len(overdue.played()) < len(overdue.decisions):
        worker.signal(signal.SIGSTOP)
        time.sleep(0.05)  # in which the database ends the statement that it is at
        if site.ask(MOVING, "node0")[0][0]:
            return True
        worker.signal(signal.SIGCONT)
        time.sleep(0.01)
    return False


def _wait_for_tick(site: Site) -> None:
    (began,) = site.ask("SELECT now()")[0]
    ticked = "SELECT count(*) FROM games_heartbeat WHERE at > %s"
    wait_until(lambda: site.ask(ticked, began)[0][0], "one more tick of the clock")
    _wait_for_round(site)


def _wait_for_round(site: Site) -> None:
    site.queue_greetings(1)
    site.wait_all_out()


def _start(site: Site, games: int, nodes: int) -> list[Started]:
    """Begin the games, and start each node's worker and beat; return all when a first round is over."""
    gather(site, games)
    started = [each for number in range(nodes) for each in _start_node(site, number)]
    wait_until(lambda: len(_nodes_there(site)) == nodes, "all nodes to work")
    _wait_for_round(site)
    return started


def _start_node(site: Site, number: int) -> list[Started]:
    name = f"node{number}"
    worker = site.start_worker(f"{name}-worker", THREADS, PGAPPNAME=name)
    return [worker, site.start_beat(f"{name}-beat", PGAPPNAME=name, **AS_A_SITE)]


def _enforced(site: Site, games: int, due: int, nodes: int, counts: Counts) -> tuple[float, Watched]:
    """Return the seconds until all deadlines are enforced, and what was seen in between."""
    processes = _start(site, games, nodes)
    overdue, began = Overdue(site, due), time.monotonic()
    with _watching(site) as watched:
        overdue.wait_enforced()
        seconds = time.monotonic() - began
    overdue.check(counts)
    for each in processes:
        each.kill()
    site.redis.flush()
    return seconds, watched


def _nodes_there(site: Site) -> list[object]:
    """Return the nodes with a connection to the database."""
    names = "SELECT DISTINCT application_name FROM pg_stat_activity WHERE application_name LIKE 'node%%'"
    return [name for (name,) in site.ask(names)]


@contextmanager
def _watching(site: Site) -> Iterator[Watched]:
    """Look at the connections again and again, and at when the clock last made a move."""
    seen, over = Watched(), threading.Event()

    def watch() -> None:
        before: int | None = None
        began = since = time.monotonic()
        with site.database.connect() as line:
            while not over.wait(LOOKED_EVERY):
                seen.looks += 1
                seen.waits.update(str(table) for _pid, _node, table in line.execute(WAITING).fetchall())
                played = int(str(line.execute(PLAYED).fetchone()[0]))  # type: ignore[index]
                if before is not None and played > before:
                    now = time.monotonic()
                    if seen.first:
                        seen.stall = max(seen.stall, now - since)
                    seen.first, since = seen.first or now - began, now
                before = played

    with alongside(watch, over):
        yield seen
