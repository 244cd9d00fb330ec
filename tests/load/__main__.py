"""`python -m tests.load`: what the work of a large site costs, next to plain Django and Celery in one run.

Starts its own PostgreSQL, builds the site by copying rows, and prints medians and quartiles of a game page, a
posted move and an email. The yardsticks take turns with them. `--json` writes the figures to a file.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

PAIRS = {"game page": "a page of its size", "move": "a row inserted", "email": "an email of its size"}


def main() -> int:
    how = _arguments()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "condottiere_site.settings")
    from tests import servers

    servers.prepare()
    import django

    django.setup()
    from django.db import connection
    from django.test import override_settings

    connection.creation.create_test_db(verbosity=0)
    try:
        # Nothing else of Django's test environment: it keeps the context of each template.
        with override_settings(EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend"):
            figures = _measure(how.games, how.seasons, how.samples)
    finally:
        connection.close()
        connection.close_pool()
    _print(figures)
    if how.json:
        how.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


def _measure(games: int, seasons: int, samples: int) -> dict[str, object]:
    from django.core import mail

    from tests.load import stage, work, yardsticks

    site = stage.build(games, seasons)
    print(
        f"{site.games:,} games, {site.running:,} of them running, and {site.seasons} seasons: "
        f"built in {site.seconds:.0f} s.\n",
        flush=True,
    )
    waiting = list(work.waiting_games(samples))
    yardsticks.like(lambda: work.visit(waiting[0]))
    insert, page = yardsticks.visits()
    costs: dict[str, list[work.Cost]] = {name: [] for name in (*PAIRS, *PAIRS.values())}

    def note(name: str, job: Callable[[], object]) -> None:
        costs[name].append(work.cost_of(job))

    for one in waiting:
        work.visit(one)  # what there is to read has been read
        note("game page", lambda one=one: work.visit(one))  # type: ignore[misc]
        note("a page of its size", page)
    work.forget_emails()
    for one in waiting:
        note("move", lambda one=one: work.move(one))  # type: ignore[misc]
        note("a row inserted", insert)
    for _number in range(work.queued_emails()):
        note("email", work.deliver_one)
        sent = mail.outbox[-1]
        text, html = str(sent.body), str(getattr(sent, "alternatives", [("", "")])[0][0])
        note("an email of its size", lambda text=text, html=html: yardsticks.send.apply((text, html)))  # type: ignore[misc]
    return {
        "date": datetime.now(tz=UTC).date().isoformat(),
        "machine": {"cores": os.cpu_count(), "kind": platform.machine(), "python": platform.python_version()},
        "site": site.__dict__,
        "work": {name: work.Summary.of(found)._asdict() for name, found in costs.items()},
    }


def _print(figures: dict[str, object]) -> None:
    done = figures["work"]
    assert isinstance(done, dict)
    print(f"{'':24}{'quartiles, ms':>24}{'processor, ms':>24}{'statements':>12}{'ratio':>8}")
    for name, yardstick in PAIRS.items():
        ratio = done[name]["processor"][1] / done[yardstick]["processor"][1]
        print(_row(name, done[name], f"{ratio:8.1f}"))
        print(_row(f"  {yardstick}", done[yardstick], ""))


def _row(name: str, found: dict[str, object], ratio: str) -> str:
    wall, processor = (" ".join(f"{value:7.1f}" for value in found[part]) for part in ("wall", "processor"))  # type: ignore[attr-defined]
    return f"{name:24}{wall:>24}{processor:>24}{found['statements']:>12}{ratio}"


def _arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    reader.add_argument("--games", type=int, default=100_000, metavar="N")
    reader.add_argument("--small", action="store_const", dest="games", const=10_000, help="10,000 games")
    reader.add_argument("--seasons", type=int, default=100, metavar="N")
    reader.add_argument("--samples", type=int, default=100, metavar="N", help="how often each is measured")
    reader.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    return reader.parse_args()


if __name__ == "__main__":
    sys.exit(main())
