"""Thousands of games at once: an outage is given back, deadlines are enforced, and no request waits."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.faults.counts import Counts, Tally
from tests.faults.site import GREETINGS, Site
from tests.servers import HANGS, wait_until

AS_A_SITE = {"DJANGO_SETTINGS_MODULE": "condottiere_site.settings"}  # beat as often as anywhere
WAITS_AT_MOST = 1.0  # seconds, for a move
OTHERS_WAIT_AT_MOST = 5.0  # seconds, for email that has nothing to do with the deadlines
ENFORCED_A_SECOND = 25  # deadlines played and announced, on two free cores
PLAIN_EMAILS = 300
THREADS = 13  # of each worker, as docs/HOSTING.md says
OUTAGE = 6  # hours

# By the table's clock 30 hours after they were asked, an hour ago.
OVERDUE = """
UPDATE games_seat SET counted_from = now() - interval '31 hours', asked_since = now() - interval '31 hours',
    due_at = now() - interval '1 hour'
WHERE id IN (SELECT id FROM games_seat WHERE due_at IS NOT NULL ORDER BY id LIMIT %s)
"""


def long_outage(site: Site, games: int, rng: random.Random) -> Counts:
    """No tick runs for hours; while that time is given back to all games, each accepts moves."""
    counts, tally = Counts(f"outage of {games} games"), Tally(site)
    gather(site, games)
    _was_down(site)
    before = _due(site)
    counts.expect(len(before) == games, f"{len(before)} of {games} clocks run")
    began = time.monotonic()
    with _moves(site, list(_games(site)), rng) as waits:
        site.start_worker(concurrency=8)
        site.start_beat(**AS_A_SITE)
        wait_until(lambda: _given_back(site) >= games, "the time of all games to be given back", 5 * HANGS)
    counts.seconds = time.monotonic() - began
    site.wait_all_out()
    after = _due(site)
    gains = [(after[seat] - due).total_seconds() / 3600 for seat, due in before.items()]
    outages = site.ask("SELECT count(*) FROM games_outage")[0][0]
    counts.more |= {
        "moves tried": len(waits),
        "longest wait": f"{max(waits):.2f} s",
        "given back": f"{min(gains):.2f} to {max(gains):.2f} h",
        "outages": outages,
    }
    tally.count(counts)
    counts.expect(max(waits) <= WAITS_AT_MOST, f"a move waited {max(waits):.1f} s")
    counts.expect(outages == 1, f"one outage became {outages}")
    counts.expect(min(gains) >= OUTAGE and max(gains) < OUTAGE + 0.1, "another time was given back")
    counts.expect(not _played(site), "the clock played")
    return counts


def many_deadlines(site: Site, games: int, due: int, workers: int = 1) -> Counts:
    """Many players run out of time at once; the clock plays for them while other email goes out.

    What each takes of the processor is compared with an email of plain Celery, before and after.
    """
    plain = _plain_email(site)
    counts, tally = Counts(f"{due} deadlines among {games} games"), Tally(site)
    gather(site, games)
    started = [site.start_worker(f"worker{number}", THREADS) for number in range(workers)]
    site.start_beat(**AS_A_SITE)
    site.queue_greetings(1)  # once it is out, worker and beat are there
    site.wait_all_out()
    site.ask(OVERDUE, due)
    began, before = time.monotonic(), sum(each.processor_seconds() for each in started)
    last = site.ask("SELECT max(id) FROM mail_outgoingemail")[0][0]
    with _greetings(site):
        wait_until(lambda: _played(site) >= due, "all deadlines to be enforced", 5 * HANGS)
        played = time.monotonic() - began
        wait_until(lambda: not _announcing(site), "everyone to be told", 5 * HANGS)
        counts.seconds = time.monotonic() - began
    site.wait_all_out()
    spent = sum(each.processor_seconds() for each in started) - before
    waits = _waits_of_greetings(site, last)
    counts.more |= {
        "seconds to play": f"{played:.0f}",
        "to announce": f"{counts.seconds:.0f}",
        "a second": f"{due / counts.seconds:.1f}",
        "other email waited": f"{waits[len(waits) // 2]:.1f} s (median), {waits[-1]:.1f} s (most)",
    }
    tally.count(counts)
    plain = (plain + _plain_email(site)) / 2
    times = f"{spent / due / plain:.1f} times that of a plain email"
    counts.more["processor time of each"] = f"{1000 * spent / due:.0f} ms, {times}"
    counts.expect_soon(waits[-1] <= OTHERS_WAIT_AT_MOST, f"other email waited {waits[-1]:.1f} s")
    rate = due / counts.seconds
    counts.expect_soon(rate >= ENFORCED_A_SECOND, f"{rate:.0f} deadlines were enforced a second")
    return counts


def gather(site: Site, games: int) -> None:
    """Begin this many games, the only ones with a clock."""
    site.ask("UPDATE games_seat SET due_at = NULL, counted_from = NULL, remind_at = NULL")
    site.ask("DELETE FROM games_heartbeat")
    site.ask("DELETE FROM games_outage")
    site.staged("crowd", str(games), seconds=600)
    site.ask("UPDATE mail_outgoingemail SET state = 'overtaken' WHERE state = 'queued'")
    site.ask("ANALYZE")


def _due(site: Site) -> dict[int, object]:
    return dict(site.ask("SELECT id, due_at FROM games_seat WHERE due_at IS NOT NULL"))


def _games(site: Site) -> Iterator[int]:
    asked = "SELECT games_game.id FROM games_game JOIN games_seat USING (table_id) WHERE due_at IS NOT NULL"
    return (row[0] for row in site.ask(asked))


def _was_down(site: Site) -> None:
    """Store the games as if everyone's decision came up an hour before the site went down."""
    site.ask(
        "UPDATE games_seat SET counted_from = counted_from - %s * interval '1 hour',"
        " due_at = due_at - %s * interval '1 hour' WHERE due_at IS NOT NULL",
        OUTAGE + 1,
        OUTAGE + 1,
    )
    site.ask("INSERT INTO games_heartbeat (at) VALUES (now() - %s * interval '1 hour')", OUTAGE)


def _given_back(site: Site) -> int:
    return int(site.ask("SELECT count(*) FROM games_timeevent WHERE kind = 'credited'")[0][0])


def _played(site: Site) -> int:
    return int(site.ask("SELECT count(*) FROM games_logentry WHERE via = 'clock'")[0][0])


def _plain_email(site: Site) -> float:
    """Return the processor seconds of an email as large as ours that plain Celery sends."""
    return float(site.staged("plain", str(PLAIN_EMAILS)))


def _announcing(site: Site) -> int:
    of_games = "SELECT count(*) FROM mail_outgoingemail WHERE state = 'queued' AND kind <> 'greeting'"
    return int(site.ask(of_games)[0][0])


@contextmanager
def _moves(site: Site, games: list[int], rng: random.Random) -> Iterator[list[float]]:
    """Measure how long moves wait for their game's lock in the meantime."""
    waits, over = list[float](), threading.Event()

    def move() -> None:
        with site.database.connect() as line:
            while not over.wait(0.02):
                began = time.monotonic()
                line.execute("SELECT id FROM games_game WHERE id = %s FOR UPDATE", (rng.choice(games),))
                waits.append(time.monotonic() - began)

    with alongside(move, over):
        yield waits


@contextmanager
def _greetings(site: Site) -> Iterator[None]:
    """Queue four sign-in codes a second, each due at once."""
    over = threading.Event()

    def greet() -> None:
        with site.database.connect() as line:
            while not over.wait(0.25):
                line.execute(GREETINGS, ("reader#@example.org", 0, 1))

    with alongside(greet, over):
        yield


@contextmanager
def alongside(action: object, over: threading.Event) -> Iterator[None]:
    """Run the action in a thread of its own until `over` is set at the end."""
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(HANGS)


def _waits_of_greetings(site: Site, after: int) -> list[float]:
    """Return how many seconds each greeting after this ID waited until it was out, in order."""
    waited = "SELECT extract(epoch FROM sent_at - not_before) FROM mail_outgoingemail"
    found = site.ask(f"{waited} WHERE kind = 'greeting' AND state = 'sent' AND id > %s", after)
    return sorted(float(seconds) for (seconds,) in found)
