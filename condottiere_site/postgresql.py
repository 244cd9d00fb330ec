"""PostgreSQL's own programs pg_dump and pg_restore, with the site's connection. A failure is one sentence."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from tempfile import TemporaryFile
from typing import IO

from django.db import connection


class ProgramFailed(OSError):
    """The program is missing or failed; `strerror` is a sentence without its full stop."""

    def __init__(self, why: str) -> None:
        super().__init__(0, why)


def dump(to: IO[bytes]) -> None:
    """Write the whole database, compressed, in the form that pg_restore reads."""
    _run("pg_dump", ["--format", "custom"], output=to)


def load(source: IO[bytes]) -> None:
    """Fill the database with what `dump` wrote: everything or nothing."""
    _run("pg_restore", ["--single-transaction", "--exit-on-error"], source=source)


def find(program: str) -> str:
    """Return the program's path. Raises ProgramFailed if it's missing."""
    path = shutil.which(program)
    if path is None:
        raise ProgramFailed(
            f"{program} isn't installed (on Debian and Ubuntu: apt install postgresql-client)"
        )
    return path


def _run(
    program: str, options: list[str], *, source: IO[bytes] | None = None, output: IO[bytes] | None = None
) -> None:
    where, secret = _connection_of_this_site()
    command = [find(program), *options, "--no-owner", "--no-privileges", "--dbname", where]
    pipe = subprocess.PIPE
    with TemporaryFile() as complaints:
        running = subprocess.Popen(
            command,
            stdin=pipe if source else subprocess.DEVNULL,
            stdout=pipe if output else subprocess.DEVNULL,
            stderr=complaints,
            env=secret,
        )
        try:
            _pass_on(running, source, output)
        except BaseException:
            running.kill()  # before it sees the end of what it reads, and keeps half of it
            running.wait()
            raise
        if running.wait():
            complaints.seek(0)
            raise ProgramFailed(f"{program} failed: {_reason(complaints.read())}")


def _pass_on(running: subprocess.Popen[bytes], source: IO[bytes] | None, output: IO[bytes] | None) -> None:
    if output is not None and running.stdout is not None:
        shutil.copyfileobj(running.stdout, output)
    if source is not None and running.stdin is not None:
        try:
            shutil.copyfileobj(source, running.stdin)
            running.stdin.close()
        except BrokenPipeError:
            running.stdin = None  # it ended early, and says why


def _reason(complaints: bytes) -> str:
    lines = complaints.decode(errors="replace").strip().splitlines()
    errors = [line for line in lines if "error:" in line]
    return (errors or lines or ["no reason given"])[0].rstrip(".")


def _connection_of_this_site() -> tuple[str, Mapping[str, str]]:
    """Return how to connect, without the password, and the environment that has it."""
    from psycopg.conninfo import make_conninfo
    from psycopg.pq import Conninfo

    understood = {option.keyword.decode() for option in Conninfo.get_defaults()}
    given = {name: value for name, value in connection.get_connection_params().items() if name in understood}
    password = given.pop("password", None)
    return make_conninfo("", **given), os.environ | ({"PGPASSWORD": str(password)} if password else {})
