"""`manage.py play` from outside: one process with web, worker and beat, started and stopped as people do."""

import http.cookiejar
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from tests.servers import HANGS, free_port, wait_until

NOT_INHERITED = {
    "DATABASE_URL",
    "REDIS_URL",
    "SITE_URL",
    "STATE_DIR",
    "SECRET_KEY",
    "EMAIL_HOLD",
    "EMAIL_URL",
}


class Played:
    """A running `play`, and what it has printed so far."""

    def __init__(self, state: Path, port: int, **environment: str) -> None:
        kept = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "play", "--port", str(port)],
            cwd=settings.BASE_DIR,
            env=kept | {"STATE_DIR": str(state), "EMAIL_HOLD": "0"} | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []
        self.address = f"http://127.0.0.1:{port}"
        threading.Thread(target=self._read, daemon=True).start()
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.visitor = urllib.request.build_opener(cookies)

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line)

    @property
    def printed(self) -> str:
        return "".join(self.lines)

    def wait_ready(self) -> str:
        """The operator's link, once everything is printed."""
        wait_until(lambda: "Ctrl-C" in self.printed or self.process.poll() is not None, "the start")
        found = re.search(r"http://\S+(/operator/sign-in/\S+)", self.printed)
        assert found, self.printed
        wait_until(lambda: self.page("/") is not None, "the first page")
        return found[1]

    def page(self, path: str, data: bytes | None = None) -> str | None:
        """The page's text; None where no one listens or the answer is no page."""
        try:
            with self.visitor.open(self.address + path, data=data, timeout=HANGS) as response:
                return response.read().decode()
        except (urllib.error.URLError, ConnectionError):
            return None

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Ask it to stop, and wait until it has."""
        self.process.send_signal(how)
        self.process.wait(HANGS)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def played() -> Iterator[list[Played]]:
    """Everything a test started; ended whatever happens."""
    running: list[Played] = []
    yield running
    for each in running:
        if each.process.poll() is None:
            each.process.kill()
            each.process.wait()


@pytest.mark.early
def test_it_serves_signs_in_delivers_stops_and_starts_again(state: Path, played: list[Played]) -> None:
    before = _checkout()
    first = Played(state, free_port(), SITE_URL="")
    played.append(first)
    link = first.wait_ready()
    assert f"{first.address}/" in first.printed
    assert f"{first.address}{link}" in first.printed
    _is_ready_and_notes_its_tasks(first, state)
    style_sheets_travel_compressed_and_are_kept_for_ever(first)
    assert {path.name for path in state.iterdir()} >= {"condottiere.sqlite3", "secret_key"}
    assert [path.name for path in state.iterdir() if path.is_dir()] == ["static"]
    assert {path.name for path in (state, *state.iterdir()) if path.stat().st_mode & 0o077} == set()
    assert "can read the database" not in first.printed
    assert "Sign in" in str(first.page(link))
    assert first.page("/operator/emails/") is None
    assert first.page(link, data=b"") is not None
    assert first.page("/operator/emails/") is not None

    _ask_for_a_code(first, "anna@example.org")
    wait_until(lambda: "anna@example.org" in str(first.page("/operator/emails/")), "the kept email")
    first.stop()
    assert first.process.returncode == 0
    assert "Traceback" not in first.printed

    state.chmod(0o755)
    (state / "condottiere.sqlite3").chmod(0o644)
    second = Played(state, free_port())
    played.append(second)
    second.wait_ready()
    assert f"Run: chmod go= {state}/condottiere.sqlite3*\n" in second.printed
    second.visitor = first.visitor
    assert "anna@example.org" in str(second.page("/operator/emails/"))
    second.stop(signal.SIGTERM)
    assert second.process.returncode == 0
    assert _checkout() == before


def _checkout() -> set[str]:
    return {path.name for path in settings.BASE_DIR.iterdir() if not path.name.startswith(".")}


def _is_ready_and_notes_its_tasks(site: Played, state: Path) -> None:
    """A new site is ready, and all tasks of its worker run soon after the start.

    A busy machine may need longer than the signs wait for the database, and then the answer is 503.
    """
    wait_until(lambda: "ticks: ok" in str(site.page("/readyz")), "the site to be ready")
    assert "redis" not in str(site.page("/readyz")), "it has none"
    database = sqlite3.connect(f"{(state / 'condottiere.sqlite3').as_uri()}?mode=ro", uri=True)
    noted = "SELECT count(*) FROM condottiere_site_taskrun"
    wait_until(
        lambda: database.execute(noted).fetchone() == (len(settings.BEAT_SECONDS),), "a row for each task"
    )
    database.close()


def _ask_for_a_code(site: Played, address: str) -> None:
    """Someone new signs up in a browser of their own."""
    visitor = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    page = visitor.open(site.address + "/accounts/signup/", timeout=HANGS).read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token, page
    form = urllib.parse.urlencode({"csrfmiddlewaretoken": token[1], "email": address}).encode()
    visitor.open(site.address + "/accounts/signup/", data=form, timeout=HANGS).read()


def style_sheets_travel_compressed_and_are_kept_for_ever(site: Played) -> None:
    sheets = re.findall(r'href="(/static/look/[^"]+\.css)"', str(site.page("/")))
    assert sheets
    for sheet in sheets:
        assert re.search(r"\.[0-9a-f]{12}\.css$", sheet), "named after its content"
        asked = urllib.request.Request(site.address + sheet, headers={"Accept-Encoding": "br"})
        answer = urllib.request.urlopen(asked, timeout=HANGS)
        assert answer.headers["Content-Encoding"] == "br"
        assert "immutable" in answer.headers["Cache-Control"]


@pytest.mark.long
def test_its_links_follow_site_url_where_it_is_given(state: Path, played: list[Played]) -> None:
    site = Played(state, free_port(), SITE_URL="http://games.example.org")
    played.append(site)
    wait_until(lambda: "Ctrl-C" in site.printed or site.process.poll() is not None, "the start")
    assert "http://games.example.org/operator/sign-in/" in site.printed


@pytest.mark.long
def test_a_second_one_on_the_same_database_is_refused(state: Path, played: list[Played]) -> None:
    first = Played(state, free_port())
    played.append(first)
    wait_until(lambda: "Ctrl-C" in first.printed or first.process.poll() is not None, "the start")
    second = Played(state, free_port())
    played.append(second)
    assert second.process.wait(HANGS) == 1
    said = "CommandError: `play` runs already with this database. Stop it first."
    wait_until(lambda: said in second.printed, "what it said")
    first.stop()
    third = Played(state, free_port())
    played.append(third)
    wait_until(lambda: "Ctrl-C" in third.printed or third.process.poll() is not None, "the start")
    assert third.process.poll() is None
    third.stop()


def test_a_port_in_use_is_said_in_one_sentence() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(CommandError, match=f"^Port {port} is in use: choose another with --port\\.$"):
            call_command("play", port=port)


@pytest.mark.once
@pytest.mark.long
def test_it_runs_on_postgresql_and_redis_where_they_are_given(
    state: Path, played: list[Played], redis_url: str
) -> None:
    with _own_database() as address:
        site = Played(state, free_port(), DATABASE_URL=address, REDIS_URL=redis_url)
        played.append(site)
        site.page(site.wait_ready(), data=b"")
        _ask_for_a_code(site, "carla@example.org")
        wait_until(lambda: "carla@example.org" in str(site.page("/operator/emails/")), "the kept email")
        site.stop()
        assert site.process.returncode == 0
        assert not (state / "condottiere.sqlite3").exists()


@contextmanager
def _own_database() -> Iterator[str]:
    """An empty database on the server of this run."""
    import psycopg
    from psycopg.sql import SQL, Identifier

    address = os.environ["DATABASE_URL"]
    if not address.startswith("postgres"):
        pytest.skip("the tests run on SQLite")
    name = f"played_{os.getpid()}"
    with psycopg.connect(address, autocommit=True) as server:
        server.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        yield urllib.parse.urlunsplit(urllib.parse.urlsplit(address)._replace(path=f"/{name}"))
        server.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))
