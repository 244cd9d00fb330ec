"""`python -m tests.faults --kills 200 --emails 5000`: every fault once, with what became of all.

Exit status 1 if a promise was broken. Ctrl-C ends everything that was started.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
from collections.abc import Callable
from functools import partial

from tests.faults import (
    broker,
    clocks,
    crowds,
    database,
    disks,
    mail,
    nodes,
    posting,
    replies,
    restores,
    smtp,
    standby,
    watching,
    web,
)
from tests.faults.counts import HEADING, Counts
from tests.faults.site import Site

Fault = Callable[[Site, argparse.Namespace, random.Random], Counts]


def _bad_emails(name: str, site: Site, how: argparse.Namespace, rng: random.Random) -> Counts:
    return smtp.bad_emails(site, name, how.emails // 10)


def _watching(name: str, site: Site, how: argparse.Namespace, _rng: random.Random) -> Counts:
    return watching.stopped(site, name, how.outage)


FAULTS: dict[str, Fault] = {
    "workers-at-random": lambda site, how, rng: mail.killed_at_random(site, how.kills, how.emails, rng),
    "workers-after-250": lambda site, how, rng: mail.killed_after_250(site, how.kills, how.emails, rng),
    "workers-stopped": lambda site, how, rng: mail.asked_to_stop(site, how.kills // 4 + 1, how.emails, rng),
    "two-beats": lambda site, how, rng: mail.beats(site, how.emails, rng),
    "ticks-left": lambda site, how, rng: mail.ticks_left(site, 21_600, how.emails // 10),
    "web-killed": lambda site, how, rng: web.killed(site, how.kills, 4, rng),
    "web-killed-in-chains": lambda site, how, rng: web.killed_in_chains(site, how.kills, 4, rng),
    "redis-down": lambda site, how, rng: broker.down(site, how.outage, rng),
    "redis-hanging": lambda site, how, rng: broker.hanging(site, how.outage, rng),
    "redis-flushed": lambda site, how, rng: broker.flushed(site, how.outage, rng),
    "posting": lambda site, how, rng: posting.alongside_trouble(site, 5, how.outage / 15, rng),
    "smtp-refusing": lambda site, how, rng: smtp.refusing(site, how.emails // 10, how.outage),
    "smtp-never-greeting": lambda site, how, rng: smtp.never_greeting(site, how.emails // 10, how.outage),
    "smtp-slow": lambda site, how, rng: smtp.slow(site, 20, 2),
    "smtp-cut": lambda site, how, rng: smtp.cut_at_times(site, how.emails // 10, rng),
    **{f"smtp-{name.replace(' ', '-')}": partial(_bad_emails, name) for name in smtp.BAD_EMAILS},
    "no-beat": lambda site, how, rng: clocks.no_beat(site, 6, how.emails // 10),
    "clock-ahead-and-back": lambda site, how, rng: clocks.set_ahead_and_back(site, 5, how.emails // 10),
    "clock-a-year-ahead": lambda site, how, rng: clocks.a_year_ahead(site, how.emails // 10),
    "clock-back": lambda site, how, rng: clocks.set_back(site, 5, how.emails // 10),
    "clocks-differ": lambda site, how, rng: clocks.machines_differ(site, 3, how.emails // 10),
    "restored-elsewhere": lambda site, how, rng: restores.three_hours_later(3, 12),
    "replies": lambda site, how, rng: replies.many(site, 300, how.replies, rng),
    "long-outage": lambda site, how, rng: crowds.long_outage(site, how.running, rng),
    "many-deadlines": lambda site, how, rng: crowds.many_deadlines(site, how.running, how.due, how.workers),
    "two-nodes": lambda site, how, rng: nodes.deadlines(site, how.running, how.due),
    "two-nodes-one-killed": lambda site, how, rng: nodes.killed(site, how.running, how.due),
    "two-nodes-two-beats": lambda site, how, rng: nodes.two_beats(site, how.running, how.due),
    "disk-full-sqlite": lambda _site, _how, rng: disks.sqlite(rng),
    "disk-full-postgresql": lambda _site, _how, rng: disks.postgresql(rng),
    "standby-synchronous": lambda site, how, rng: standby.promoted(3, rng, is_synchronous=True),
    "standby-asynchronous": lambda site, how, rng: standby.promoted(5, rng, is_synchronous=False),
    "standby-behind": lambda site, how, rng: standby.promoted(3, rng, is_synchronous=False, behind=2),
    "standby-synchronous-behind": lambda site, how, rng: standby.promoted(
        2, rng, is_synchronous=True, behind=2
    ),
    "database-killed": lambda site, how, rng: database.killed(site, min(how.kills, 5), how.outage / 5, rng),
    **{f"watching-{name}": partial(_watching, name) for name in watching.PARTS},
    "backend-killed": lambda site, how, rng: database.backend_killed(site, how.kills // 4 + 1, rng),
}


def main() -> int:
    how = _arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print(HEADING, flush=True)
    broken = 0
    with Site() as site:
        for name in how.only or FAULTS:
            counts = _watched(site, name, how)
            broken += bool(counts.problems or counts.late)
            print(counts.row(), flush=True)
            if (counts.problems or counts.late) and how.logs:
                print(site.logs(), flush=True)
            site.stop_all()
    return min(broken, 1)


def _watched(site: Site, name: str, how: argparse.Namespace) -> Counts:
    """Run one fault; anything too late counts as a broken promise."""
    try:
        return FAULTS[name](site, how, random.Random(how.seed))
    except (TimeoutError, AssertionError, RuntimeError) as error:
        return Counts(name, problems=[str(error)])


def _arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    reader.add_argument("--kills", type=int, default=200, help="how often workers and web are killed (200)")
    reader.add_argument("--emails", type=int, default=5000, help="emails in each fault of the workers (5000)")
    reader.add_argument("--outage", type=float, default=75, help="seconds a server is away (75)")
    reader.add_argument("--replies", type=int, default=10_000, help="replies by email (10000)")
    reader.add_argument("--running", type=int, default=10_000, help="running games (10000)")
    reader.add_argument("--due", type=int, default=2000, help="of which a deadline has come (2000)")
    reader.add_argument("--workers", type=int, default=1, help="that enforce them (1)")
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--only", nargs="+", choices=FAULTS, metavar="FAULT", help=", ".join(FAULTS))
    reader.add_argument("--logs", action="store_true", help="the processes' logs where a promise was broken")
    return reader.parse_args()


if __name__ == "__main__":
    sys.exit(main())
