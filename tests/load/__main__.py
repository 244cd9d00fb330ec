"""`python -m tests.load`: what the work of a large site costs, next to plain Django and Celery in one run.

Starts its own PostgreSQL and Redis, builds the site by copying rows, and prints medians and quartiles of a
game page, a posted move and an email, and of clock tasks that have nothing to do. The yardsticks take turns
with the former. `--json` writes the figures to a
file; `--draw` makes the table and the chart of docs/SIZES.md from such files. `--serve MINUTES` then runs the
site, with three web processes and two workers, at the load of its running games.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from tests.load.drawing import PAIRS, draw

_TICKS = 20  # how often each clock task is measured
_SMALL = "a row inserted"  # what their ticks are compared with


def main() -> int:
    how = _arguments()
    if how.draw:
        draw()
        return 0
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
            if how.serve:
                from tests.load import serving

                figures["served"] = serving.serve(how.serve, how.times)
    finally:
        connection.close()
        connection.close_pool()
    _print(figures)
    if how.serve:
        print("\n" + "\n".join(f"{name}: {found}" for name, found in figures["served"].items()))  # type: ignore[attr-defined]
    if how.json:
        how.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


def _measure(games: int, seasons: int, samples: int) -> dict[str, object]:
    from django.core import mail

    from tests.load import stage, work, yardsticks

    site = stage.build(games, seasons)
    print(
        f"{site.games:,} games, {site.running:,} of them running, and {site.seasons} seasons: "
        f"built in {site.seconds:.0f} s, {site.megabytes:,} MB.\n",
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
    with yardsticks.celery() as send:
        for _number in range(work.queued_emails()):
            note("email", work.deliver_one)
            sent = mail.outbox[-1]
            text, html = str(sent.body), str(getattr(sent, "alternatives", [("", "")])[0][0])
            note("an email of its size", lambda text=text, html=html: send(text, html))  # type: ignore[misc]
    ticks = work.idle_ticks(_TICKS)
    return {
        "date": datetime.now(tz=UTC).date().isoformat(),
        "release": release(),
        "machine": {"cores": os.cpu_count(), "kind": platform.machine(), "python": platform.python_version()},
        "site": site.__dict__,
        "work": {name: work.Summary.of(found)._asdict() for name, found in costs.items()},
        "ticks": {name: found._asdict() for name, found in ticks.items()},
    }


def release() -> str:
    """Return the release whose figures these are, or the last one with a plus before the next."""
    changes = Path(__file__).resolve().parent.parent.parent.joinpath("CHANGELOG.md").read_text("utf-8")
    titles = re.findall(r"^## (.+)$", changes, re.MULTILINE)
    return f"after {titles[1].split()[0]}" if titles[0] == "Unreleased" else titles[0].split()[0]


def _print(figures: dict[str, object]) -> None:
    done = figures["work"]
    assert isinstance(done, dict)
    print(f"{'':24}{'quartiles, ms':>24}{'processor, ms':>24}{'statements':>12}{'ratio':>8}")
    for name, yardstick in PAIRS.items():
        ratio = done[name]["processor"][1] / done[yardstick]["processor"][1]
        print(_row(name, done[name], f"{ratio:8.1f}"))
        print(_row(f"  {yardstick}", done[yardstick], ""))
    idle = figures["ticks"]
    assert isinstance(idle, dict)
    print("\nClock tasks with nothing to do, next to a row inserted:")
    for name, found in sorted(idle.items(), key=lambda item: -item[1]["processor"][1]):
        ratio = found["processor"][1] / done[_SMALL]["processor"][1]
        print(_row(name.partition(".tasks.")[2], found, f"{ratio:8.1f}"))


def _row(name: str, found: dict[str, object], ratio: str) -> str:
    wall, processor = (" ".join(f"{value:7.1f}" for value in found[part]) for part in ("wall", "processor"))  # type: ignore[attr-defined]
    return f"{name:24}{wall:>24}{processor:>24}{found['statements']:>12}{ratio}"


def _arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    reader.add_argument("--games", type=int, default=100_000, metavar="N")
    reader.add_argument("--small", action="store_const", dest="games", const=10_000, help="10,000 games")
    reader.add_argument("--seasons", type=int, default=100, metavar="N")
    reader.add_argument("--samples", type=int, default=100, metavar="N", help="how often each is measured")
    reader.add_argument("--serve", type=float, metavar="MINUTES", help="then run the site at its mean load")
    reader.add_argument("--times", type=float, default=1, metavar="X", help="so many times the mean load (1)")
    reader.add_argument("--draw", action="store_true", help="only draw what docs/figures holds")
    reader.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    return reader.parse_args()


if __name__ == "__main__":
    sys.exit(main())
