"""The commands that measure run to their end, and no page puts more statements than it may."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

COMMANDS = ("tests.benchmarks --rounds 1 --each 1", "tests.load --games 20 --seasons 1 --samples 2")
SERVERS = ("DATABASE_URL", "REDIS_URL")  # of this run of tests


@pytest.mark.once
@pytest.mark.parametrize("command", COMMANDS)
def test_it_measures(command: str) -> None:
    own_servers = {name: value for name, value in os.environ.items() if name not in SERVERS}
    done = subprocess.run(
        [sys.executable, "-m", *command.split()],
        cwd=ROOT,
        env=own_servers,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
