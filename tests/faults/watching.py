"""A part of a running site stops: /readyz says so within a minute, and is well a minute after its return."""

from __future__ import annotations

import signal
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass

import yaml

from tests.faults.counts import Counts
from tests.faults.processes import ROOT
from tests.faults.site import Site
from tests.servers import HANGS, wait_until

SEEN_WITHIN = 60.0
STEADY = 8.0  # seconds: longer than any process of the web remembers an answer
SLOWEST_ANSWER = 7.0  # five seconds are waited for what hangs


@dataclass(frozen=True)
class Part:
    """A part of the site that can be stopped, and the sign that tells of it."""

    sign: str
    stop: Callable[[Site], object]
    start: Callable[[Site], object]


def _postgresql(site: Site, number: signal.Signals) -> None:
    site.processes_named("postgresql").signal(number)


def _greets(site: Site, does: bool) -> None:
    site.sink.greets = does


PARTS = {
    "worker": Part(
        "ticks", lambda site: site.processes_named("worker").kill(), lambda site: site.start_worker()
    ),
    "beat": Part("ticks", lambda site: site.processes_named("beat").kill(), lambda site: site.start_beat()),
    "redis": Part("redis", lambda site: site.redis.kill(), lambda site: site.redis.start()),
    "redis-hanging": Part("redis", lambda site: site.redis.hang(), lambda site: site.redis.go_on()),
    "database": Part("database", lambda site: site.database.kill(), lambda site: site.database.start()),
    "database-hanging": Part(
        "database",
        lambda site: _postgresql(site, signal.SIGSTOP),
        lambda site: _postgresql(site, signal.SIGCONT),
    ),
    "mail": Part("mail_server", lambda site: site.close_sink(), lambda site: site.open_sink()),
    "mail-silent": Part("mail_server", lambda site: _greets(site, False), lambda site: _greets(site, True)),
}


@dataclass(frozen=True)
class Answer:
    """What /readyz says, and after how many seconds."""

    status: int
    failed: tuple[str, ...]
    seconds: float


def stopped(site: Site, name: str, seconds: float) -> Counts:
    """Stop this part for so long, but until /readyz says so, and start it again until all is well."""
    counts, part = Counts(f"watching: no {name}"), PARTS[name]
    site.start_missing("worker", "beat", "web")
    site.wait_page("/healthz")
    wait_until(lambda: ask(site).status == 200, "the site to be ready", 2 * HANGS)
    part.stop(site)
    if part.sign == "mail_server":
        site.queue_greetings(3)
    began = time.monotonic()
    failing = _steady(site, lambda answer: part.sign in answer.failed)
    alive = _read(site, "/healthz")[0]
    time.sleep(max(0.0, began + seconds - time.monotonic()))
    part.start(site)
    fine = _steady(site, lambda answer: not answer.failed)
    statuses = {answer.status for answer in failing.answers if answer.failed}
    answers, seen, well = failing.answers + fine.answers, failing.since, fine.since
    slowest = max(answer.seconds for answer in answers)
    counts.seconds = well
    counts.more |= {
        "503 after": f"{seen:.0f} s",
        "200 after": f"{well:.0f} s",
        "slowest answer": f"{slowest:.1f} s",
        "alert": alert_of(part.sign),
    }
    counts.expect(statuses == {503}, f"a site that has failed answered {statuses}")
    counts.expect(alive == 200, f"/healthz answered {alive}")
    counts.expect_soon(seen <= SEEN_WITHIN, f"it was seen after {seen:.0f} s")
    counts.expect_soon(well <= SEEN_WITHIN, f"its return was seen after {well:.0f} s")
    counts.expect_soon(slowest <= SLOWEST_ANSWER, f"an answer took {slowest:.1f} s")
    return counts


def alert_of(sign: str) -> str:
    """Return the name of the alert that fires when this sign fails."""
    groups = yaml.safe_load((ROOT / "docs" / "alerts.yaml").read_text(encoding="utf-8"))["groups"]
    rules = (rule for group in groups for rule in group["rules"])
    return next(str(rule["alert"]) for rule in rules if f'sign="{sign}"' in rule["expr"])


def ask(site: Site) -> Answer:
    """Ask /readyz as a monitor does."""
    began = time.monotonic()
    status, text = _read(site, "/readyz")
    failed = tuple(line.partition(":")[0] for line in text.splitlines() if line.endswith("failed"))
    return Answer(status, failed, time.monotonic() - began)


@dataclass(frozen=True)
class Steady:
    """All answers until they said the same for a while, and after how many seconds they began to."""

    answers: list[Answer]
    since: float


def _steady(site: Site, holds: Callable[[Answer], bool]) -> Steady:
    began = since = time.monotonic()
    answers: list[Answer] = []

    def is_steady() -> bool:
        nonlocal since
        answers.append(ask(site))
        if not holds(answers[-1]):
            since = time.monotonic()
        return time.monotonic() - since > STEADY

    wait_until(is_steady, "a change of /readyz")
    return Steady(answers, since - began)


def _read(site: Site, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(site.address + path, timeout=HANGS) as page:
            return page.status, page.read().decode()
    except urllib.error.HTTPError as page:
        return page.code, page.read().decode()
    except OSError:
        return 0, "web: failed"
