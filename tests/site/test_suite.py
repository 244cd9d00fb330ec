"""The test run itself: what it reports, and what makes it fail."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.conf import settings

from tests.servers import HANGS, wait_until

pytestmark = pytest.mark.once
# What a shell starts in the background ignores SIGINT, and so does all that it starts, unless told otherwise.
PYTEST = (
    "import signal, sys, pytest; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "sys.exit(pytest.main(sys.argv[1:]))"
)
INHERITED_NOT = ("DATABASE_URL", "REDIS_URL", "CI", "PYTEST_", "TESTS_", "DJANGO_")


def _run(folder: Path, test: str, **environment: str) -> subprocess.Popen[str]:
    (folder / "test_tried.py").write_text(test)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(INHERITED_NOT)}
    unneeded = ["-p", "no:cacheprovider", "-p", "no:hypothesispytest"]  # the latter takes long to import
    command = [sys.executable, "-c", PYTEST, *unneeded, "-c", "pyproject.toml", str(folder)]
    return subprocess.Popen(
        command,
        cwd=settings.BASE_DIR,
        env=kept | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.fixture
def sqlite(tmp_path: Path) -> dict[str, str]:
    """Nothing to be started."""
    return {"DATABASE_URL": f"sqlite:///{tmp_path}/x.sqlite3", "REDIS_URL": "redis://127.0.0.1:9/0"}


SKIPS = "import pytest\ndef test_passes(): pass\ndef test_skips(): pytest.skip('no such thing here')\n"


@pytest.mark.long
def test_a_skip_is_told_with_its_reason(tmp_path: Path, sqlite: dict[str, str]) -> None:
    run = _run(tmp_path, SKIPS, **sqlite)
    printed, _ = run.communicate(timeout=HANGS)
    assert run.returncode == 0, printed
    assert "database: sqlite, as DATABASE_URL says" in printed
    assert "no such thing here" in printed


def test_where_nothing_may_be_skipped_a_skip_fails_the_run(tmp_path: Path, sqlite: dict[str, str]) -> None:
    """And what is long is left out, which is no skip."""
    run = _run(tmp_path, SKIPS + "@pytest.mark.long\ndef test_long(): assert False\n", CI="true", **sqlite)
    printed, _ = run.communicate(timeout=HANGS)
    assert run.returncode == 1
    assert "which fails this run" in printed
    assert "no such thing here" in printed
    assert "1 deselected" in printed
    assert "FAILED" not in printed


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.long
def test_an_interrupted_run_leaves_no_server_behind(tmp_path: Path, how: signal.Signals) -> None:
    here = tmp_path / "started"
    waits = (
        "import os, pathlib, time\n"
        "def test_waits():\n"
        "    said = os.environ['STATE_DIR'] + ' ' + os.environ['REDIS_URL']\n"
        f"    pathlib.Path({str(here)!r}).write_text(said)\n"
        "    time.sleep(600)\n"
    )
    run = _run(tmp_path, waits)
    try:
        wait_until(lambda: here.exists() and here.read_text(), "the test to begin")
        run.send_signal(how)
        printed, _ = run.communicate(timeout=HANGS)  # less than the test sleeps
    finally:
        run.kill()
    assert run.returncode not in {0, None}, printed
    state, redis = here.read_text().split()
    folder = Path(state).parent
    wait_until(lambda: not folder.exists() or not _processes_in(folder), "the servers to stop")
    port = redis.partition("127.0.0.1:")[2].partition("/")[0]
    time.sleep(0.1)
    assert not [line for line in _processes() if f"redis-server 127.0.0.1:{port}" in line]


def _processes() -> list[str]:
    return subprocess.run(
        ["ps", "-eo", "args"], capture_output=True, text=True, check=True
    ).stdout.splitlines()


def _processes_in(folder: Path) -> list[str]:
    return [line for line in _processes() if str(folder) in line]
