"""A small disk fills up while people play: every page is read, and no accepted move or email is lost."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.faults.counts import Counts, Tally
from tests.faults.players import Play, visitors_of
from tests.faults.processes import ROOT, Processes
from tests.faults.site import Site
from tests.servers import HANGS, free_port, wait_until

GAMES = 8
SQLITE_MEGABYTES, POSTGRESQL_MEGABYTES = 16, 160
HEART = "SELECT at FROM games_heartbeat"
FULL_FOR = 5.0  # seconds


class SmallDisk:
    """A file system of a few megabytes in memory, which only root can make."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        self.folder, self._ballast = folder, folder / "ballast"
        self._is_filling = threading.Event()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)], check=True)

    def fill(self) -> None:
        """Take every byte, and each that becomes free later."""
        self._is_filling.set()
        self._fill_once()
        threading.Thread(target=self._go_on, daemon=True).start()

    def free(self) -> None:
        self._is_filling.clear()
        time.sleep(0.3)
        self._ballast.unlink()

    def close(self) -> None:
        self._is_filling.clear()
        subprocess.run(["umount", "--lazy", str(self.folder)], check=False)

    def _go_on(self) -> None:
        while self._is_filling.is_set():
            self._fill_once()
            time.sleep(0.05)

    def _fill_once(self) -> None:
        with self._ballast.open("ab", buffering=0) as ballast:
            for size in (1 << 20, 4096, 1):
                try:
                    while True:
                        ballast.write(b"x" * size)
                except OSError:
                    continue


class PlayedSite:
    """What `play` runs, on SQLite, with its log on the same disk."""

    def __init__(self, disk: Path, elsewhere: Path) -> None:
        self.port, self._database = free_port(), disk / "condottiere.sqlite3"
        self.address = f"http://127.0.0.1:{self.port}"
        self._environment = {
            "STATE_DIR": str(disk),
            "SITE_URL": self.address,
            "EMAIL_HOLD": "0",
            "SECRET_KEY": "a key for the processes of these tests alone",
            "DJANGO_SETTINGS_MODULE": "condottiere_site.settings",
            "DATABASE_URL": "",
        }
        self._processes = Processes(disk)
        self.run("manage.py", "migrate", "--verbosity", "0")
        command = [sys.executable, "manage.py", "play", "--port", str(self.port)]
        self.play = self._processes.start("play", command, self._environment)
        wait_until(self._answers, "the site", 5 * HANGS)

    def run(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=ROOT,
            env=os.environ | self._environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    def staged(self, *words: str) -> Any:
        return json.loads(self.run("-m", "tests.faults.stage", *words))

    def ask(self, question: str) -> list[tuple[Any, ...]]:
        with sqlite3.connect(self._database) as line:
            return line.execute(question).fetchall()

    def close(self) -> None:
        self._processes.close()

    def _answers(self) -> bool:
        return "Ctrl-C" in self.play.log.read_text()


def sqlite(rng: random.Random, megabytes: int = SQLITE_MEGABYTES) -> Counts:
    """`play` on a disk that is full for some seconds: database, log and static files are all on it."""
    counts = Counts(f"SQLite on a full disk of {megabytes} MB")
    with _small_disk(megabytes) as disk:
        site = PlayedSite(disk.folder, disk.folder)
        try:
            _fill_while_they_play(site, disk, rng, counts)
            doubled = site.ask("SELECT count(*) FROM mail_capturedemail")[0][0]
            doubled -= site.ask("SELECT count(*) FROM mail_outgoingemail WHERE state = 'sent'")[0][0]
            counts.expect(not doubled, f"{doubled} emails were sent twice")
            counts.more["lines in the log"] = len(site.play.log.read_text(errors="replace").splitlines())
            counts.more["tracebacks"] = site.play.log.read_text(errors="replace").count("Traceback")
            counts.expect(not counts.more["tracebacks"], "the log has tracebacks")
        finally:
            site.close()
    return counts


def postgresql(rng: random.Random, megabytes: int = POSTGRESQL_MEGABYTES) -> Counts:
    """PostgreSQL's own disk is full for some seconds; web and workers log to it too."""
    counts = Counts(f"PostgreSQL on a full disk of {megabytes} MB")
    with _small_disk(megabytes) as disk, _temporary_files_in(disk.folder), Site() as site:
        tally = Tally(site)
        site.start_missing("worker", "beat", "web")
        site.wait_page()
        _fill_while_they_play(site, disk, rng, counts)
        counts.seconds = site.wait_all_out()
        tally.count(counts)
        log = site.processes.folder / "postgresql.log"
        counts.more["PostgreSQL's panics"] = log.read_text(errors="replace").count("PANIC")
    return counts


def _fill_while_they_play(site: Any, disk: SmallDisk, rng: random.Random, counts: Counts) -> None:
    play = Play(site, GAMES, rng)
    readers = visitors_of(play.staged)
    play.start()
    play.wait_moves(3 * GAMES)
    disk.fill()
    try:
        wait_until(lambda: play.retries >= GAMES, "moves to be refused", 5 * HANGS)
        before, heart = play.pages_broken, site.ask(HEART)
        time.sleep(FULL_FOR)
        counts.expect(site.ask(HEART) == heart, "the clock went on although no move could be stored")
        read = [
            reader.get(f"{site.address}/games/{game}/").status
            for game in play.games
            for reader in readers[:1]
        ]
        counts.more |= {"pages read": f"{read.count(200)} of {len(read)}", "refused": play.retries}
        counts.more["pages refused to players"] = play.pages_broken - before
    finally:
        disk.free()
    play.wait_moves(3 * GAMES, 90)
    play.stop()
    play.check(counts)
    counts.expect(read.count(200) == len(read), f"game pages were answered by {read}")


@contextmanager
def _small_disk(megabytes: int) -> Iterator[SmallDisk]:
    with tempfile.TemporaryDirectory(prefix="condottiere-disk-") as folder:
        Path(folder).chmod(0o755)
        disk = SmallDisk(Path(folder), megabytes)
        try:
            disk.folder.chmod(0o755)
            yield disk
        finally:
            disk.close()


@contextmanager
def _temporary_files_in(folder: Path) -> Iterator[None]:
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = before
