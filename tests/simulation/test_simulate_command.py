"""`python -m tests.simulation` plays in databases of its own, and the same seed gives the same games."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from tests.simulation.games.running import simulated
from tests.simulation.games.world import Plan

pytestmark = pytest.mark.once


@pytest.mark.long
def test_the_same_seed_gives_the_same_games_in_one_process_and_in_two() -> None:
    plan = Plan(players=2, pace="hours", seed=7, club=1)
    alone, together = simulated(plan, 2, 1), simulated(plan, 2, 2)
    assert sorted(alone.lengths) == sorted(together.lengths)
    assert alone.emails == together.emails
    assert alone.problems == together.problems == []


@pytest.mark.long
def test_the_command_plays_quick_games_and_refuses_more_users_of_orders_than_people() -> None:
    command = [sys.executable, "-m", "tests.simulation", "--games", "1", "--players", "2", "--quick"]
    done = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 games of 2" in done.stdout
    assert "Checks" not in done.stdout
    for wrong in ("101", "-1", "many"):
        done = subprocess.run(
            [*command, "--orders", wrong], cwd=settings.BASE_DIR, capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert "--orders" in done.stderr


@pytest.mark.long
def test_the_command_prints_what_it_found_and_touches_no_database_but_its_own(tmp_path: Path) -> None:
    site = tmp_path / "site.sqlite3"
    environment = os.environ | {"DATABASE_URL": f"sqlite:///{site}", "STATE_DIR": str(tmp_path / "state")}
    command = [sys.executable, "-m", "tests.simulation", "--games", "1", "--players", "2", "--pace", "hours"]
    done = subprocess.run(
        command, cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 games of 2" in done.stdout
    assert "no email tells of a hidden card" in done.stdout
    assert not site.exists()


@pytest.mark.parametrize("wrong", [("--players", "1"), ("--games", "0"), ("--processes", "0")])
@pytest.mark.long
def test_what_cannot_be_played_is_refused(wrong: tuple[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.simulation", *wrong],
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "at least one game" in done.stderr


@pytest.mark.long
def test_a_process_refuses_a_database_that_is_not_its_own(tmp_path: Path) -> None:
    environment = os.environ | {
        "STATE_DIR": str(tmp_path / "state"),
        "DATABASE_URL": f"sqlite:///{tmp_path / 'site.sqlite3'}",
    }
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.simulation.games",
            '{"plan": {"players": 2, "pace": "day", "seed": 1}, "clubs": []}',
        ],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "a database of its own" in done.stderr
    assert not (tmp_path / "site.sqlite3").exists()
