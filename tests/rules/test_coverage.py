"""The tests of this folder run every branch of the rules."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.long
@pytest.mark.once
def test_every_branch_of_the_rules_is_run(tmp_path: Path) -> None:
    """Run by hand: `python -m pytest tests/rules --cov=games/rules --cov-branch`."""
    command = [
        "-m",
        "pytest",
        "tests/rules",
        "-q",
        "--cov=games/rules",
        "--cov-branch",
        "--cov-fail-under=100",
    ]
    done = subprocess.run(
        [sys.executable, *command, "--cov-report=term-missing"],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "COVERAGE_FILE": str(tmp_path / "coverage")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
