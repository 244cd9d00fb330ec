"""Processes that end with their parent: each leads its own group, and all are killed at the end."""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from tests.servers import HANGS

ROOT = Path(__file__).resolve().parent.parent.parent
_SETPRIV = shutil.which("setpriv")


def _with_parent(user: str | None) -> list[str]:
    """Where the system allows it, even a killed parent takes its children with it."""
    if _SETPRIV is None:
        return []
    return [_SETPRIV, *_as_user(user), "--pdeathsig", "KILL"]


def _as_user(name: str | None) -> list[str]:
    if name is None:
        return []
    return ["--reuid", name, "--regid", str(pwd.getpwnam(name).pw_gid), "--init-groups"]


class Started:
    """One running process and its log."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        log: Path,
        user: str | None,
        code: Path,
    ) -> None:
        self.name, self.log = name, log
        prefix = _with_parent(user)
        with log.open("ab") as out:
            self._process = subprocess.Popen(
                [*prefix, *command],
                cwd=code if user is None else "/",  # another user may not be let into ours
                env=os.environ | dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
                user=None if prefix else user,
            )
        self.pid = self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process and all its children."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def kill(self) -> None:
        """Send SIGKILL, which leaves no time to clean up."""
        self.signal(signal.SIGKILL)
        self._process.wait(HANGS)

    def ended(self, seconds: float) -> bool:
        """Return whether it ends without a signal within this time."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def processor_seconds(self) -> float:
        """Return the processor time it has taken so far."""
        times = psutil.Process(self.pid).cpu_times()
        return times.user + times.system

    def tail(self, lines: int = 30) -> str:
        """Return the end of its output."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


class Processes:
    """All processes of one run. `close` kills them all; so does the end of the program."""

    def __init__(self, folder: Path, code: Path = ROOT) -> None:
        """Processes that log to this folder and run the code of that one."""
        self.folder, self._code = folder, code
        self._started: list[Started] = []
        atexit.register(self.close)

    def start(
        self, name: str, command: Sequence[str], environment: Mapping[str, str], *, user: str | None = None
    ) -> Started:
        started = Started(name, command, environment, self.folder / f"{name}.log", user, self._code)
        self._started.append(started)
        return started

    def running(self) -> list[Started]:
        return [each for each in self._started if each.is_running]

    def close(self) -> None:
        """Stop the last started first, so that none misses what it needs."""
        for each in reversed(self.running()):
            each.signal(signal.SIGCONT)
            each.kill()
        atexit.unregister(self.close)
