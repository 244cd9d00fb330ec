"""`python -m tests.benchmarks`: what pages cost, as ratios to a bare Django view in the same run.

Measures the processor time of this process alone, on a PostgreSQL server started for the run. The pages and
the yardsticks take turns; the report gives the lightest round of each, because other work on the machine only
adds to it, with query counts and sizes, raw and gzipped. There are two yardsticks: the bare view without any
middleware (naked), and the same view behind this site's middleware. Exit status 1 if a page puts more
statements to the database than it may.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from time import process_time
from typing import Any


@dataclass
class Page:
    """One address, how many statements it may put to the database, and its cost in each round."""

    name: str
    path: str
    most_queries: int | None = None
    cookie: str = ""
    version: str = ""  # that an open page has
    queries: int = 0
    body: bytes = b""
    seconds: list[float] = field(default_factory=list)

    @property
    def cost(self) -> float:
        """Seconds of one visit in the lightest round; other work on the machine only adds to it."""
        return min(self.seconds)

    @property
    def is_too_much(self) -> bool:
        return self.most_queries is not None and self.queries > self.most_queries

    def row(self, bare: Page, naked: Page) -> str:
        size = len(self.body) / 1000
        small = len(gzip.compress(self.body, 6)) / 1000
        most = self.most_queries or "-"
        told = (
            f"{self.name:24}{self.cost * 1000:8.3f}{self.cost / bare.cost:8.1f}{self.cost / naked.cost:8.1f}"
        )
        told += f"{self.queries:9}{size:9.1f}{small:8.1f}"
        return f"{told}   {most:10}{' MISSED' if self.is_too_much else ''}"


HEADING = f"{'page':24}{'ms':>8}{'times':>8}{'naked':>8}{'queries':>9}{'kB':>9}{'gzip':>8}   at most"


def main() -> int:
    how = _arguments()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "condottiere_site.settings")
    from tests import servers

    servers.prepare()
    import django

    django.setup()
    from django.db import connection

    connection.creation.create_test_db(verbosity=0)
    try:
        if how.hostile is not None:
            from tests.benchmarks import hostile

            return hostile.main(how.hostile)
        pages = _pages()
        bare, naked = _measure(pages, how.rounds, how.each)
    finally:
        connection.close()
        connection.close_pool()
    print(f"A bare view takes {bare.cost * 1000:.3f} ms behind this site's middleware,", end=" ")
    print(f"{naked.cost * 1000:.3f} ms without any (naked).\n\n{HEADING}")
    for page in pages:
        print(page.row(bare, naked))
    return int(any(page.is_too_much for page in pages))


def _pages() -> list[Page]:
    from django.conf import settings
    from django.test import Client
    from django.urls import reverse

    from tests.benchmarks.stage import set_stage

    stage = set_stage()
    client = Client()
    client.force_login(stage.reader, backend=settings.AUTHENTICATION_BACKENDS[0])
    client.get(reverse("my_games"))
    cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
    game = stage.game
    pages = [
        Page("game page", reverse("game", args=[game.pk]), 9, cookie),
        Page("watched game", reverse("watch", args=[game.table.watch_key]), 8),
        Page("my games", reverse("my_games"), 20, cookie),
        Page("lobby", reverse("tables"), None, cookie),
        Page("home page", reverse("home")),
    ]
    return [*pages, *_polls(pages[0])]


def _polls(page: Page) -> list[Page]:
    """A poll of the game's page that has no news."""
    from tests.games.polls import asked_by

    address, headers = asked_by(_asked(_site(), page)[1].decode())
    return [Page("poll without news", address, 2, page.cookie, headers["If-None-Match"])]


def _measure(pages: list[Page], rounds: int, each: int) -> tuple[Page, Page]:
    """Fill in the pages; return the two yardsticks, behind this site's middleware and without any."""
    from django.conf import settings
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    site = _site()
    for page in pages:
        status, page.body = _asked(site, page)
        status, page.body = _asked(site, page)  # the second visit: what there is to read has been read
        assert status[:3] in ("200", "304"), f"{page.name}: {status}"
        with CaptureQueriesContext(connection) as captured:
            _asked(site, page)
        page.queries = len(captured)
    yardsticks = [_Bare(Page("bare", "/"), settings.MIDDLEWARE), _Bare(Page("naked", "/"), [])]
    for _round in range(rounds):
        for bare in yardsticks:
            bare.measure(each * 20)
        for page in pages:
            page.seconds.append(_seconds(site, page, each))
    return yardsticks[0].page, yardsticks[1].page


def _seconds(site: Callable[..., Any], page: Page, times: int) -> float:
    """Return the processor time of one visit."""
    began = process_time()
    for _time in range(times):
        _asked(site, page)
    return (process_time() - began) / times


def _asked(site: Callable[..., Any], page: Page) -> tuple[str, bytes]:
    """Return the status and body of the WSGI application's answer."""
    from django.test import RequestFactory

    environ = RequestFactory()._base_environ(
        PATH_INFO=page.path.partition("?")[0],
        QUERY_STRING=page.path.partition("?")[2],
        HTTP_COOKIE=page.cookie,
        HTTP_IF_NONE_MATCH=page.version,
    )
    said: list[str] = []
    answer = site(environ, lambda status, headers: said.append(status))
    body = b"".join(answer)
    answer.close()
    return said[0], body


def _site() -> Callable[..., Any]:
    from django.core.wsgi import get_wsgi_application

    return get_wsgi_application()


@dataclass
class _Bare:
    """Return a view that answers one word, behind some middleware."""

    page: Page
    middleware: list[str]
    handler: Callable[..., Any] | None = None

    def measure(self, times: int) -> None:
        from django.test import override_settings

        with override_settings(MIDDLEWARE=["tests.benchmarks.bare.by_own_urls", *self.middleware]):
            self.handler = self.handler or _site()
        self.page.seconds.append(_seconds(self.handler, self.page, times))


def _arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    reader.add_argument("--rounds", type=int, default=25)
    reader.add_argument("--each", type=int, default=8, help="visits to each page in a round")
    reader.add_argument(
        "--hostile",
        nargs="?",
        const="",
        metavar="READER",
        help="instead: what hostile input costs each reader of foreign text, or this one",
    )
    return reader.parse_args()


if __name__ == "__main__":
    sys.exit(main())
