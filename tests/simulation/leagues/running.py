"""Run seasons of simulated people, by the site's own services, emails and clocks.

The process it starts has a database of its own in a temporary folder and never touches the site's.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from games.leagues.models import LARGEST_DIVISION, MOST_DIVISIONS, MOST_ROUNDS
from games.leagues.models.seasons import MOST_AT_ONCE
from games.models import MAX_SEATS
from tests.simulation.games.processes import own_environment
from tests.simulation.leagues.habits import Plan

ROOT = Path(__file__).resolve().parents[3]
LEAST_SEATS = 2


class BadPlan(Exception):
    """A season that cannot be planned."""


def lived(plans: Sequence[Plan], *, keep: bool) -> bool:
    """Return whether every check held in these seasons, lived through by a process of its own.

    `keep` leaves the last one's database in place and prints where it is.
    """
    begun = time.monotonic()
    with ExitStack() as stack:
        folder = tempfile.mkdtemp(prefix="condottiere-") if keep else _passing_folder(stack)
        command = [
            sys.executable,
            "-m",
            "tests.simulation.leagues",
            json.dumps([asdict(plan) for plan in plans]),
        ]
        environment = own_environment(Path(folder)) | {"PYTHONUNBUFFERED": "1"}
        failed = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode != 0
    if keep:
        print(f"The database is in {folder}.")
    print(f"{time.monotonic() - begun:.0f} s", flush=True)
    return not failed


def _passing_folder(stack: ExitStack) -> str:
    return stack.enter_context(tempfile.TemporaryDirectory(prefix="condottiere-"))


def require_playable(plan: Plan) -> None:
    """Raise BadPlan for a season that cannot be planned."""
    if not LEAST_SEATS <= plan.size <= MAX_SEATS:
        raise BadPlan(f"A table has {LEAST_SEATS} to {MAX_SEATS} seats.")
    if not 1 <= plan.tables <= MOST_ROUNDS or not 1 <= plan.divisions <= MOST_DIVISIONS:
        raise BadPlan(f"At most {MOST_ROUNDS} tables and {MOST_DIVISIONS} divisions, and at least one.")
    if not 1 <= plan.at_once <= MOST_AT_ONCE:
        raise BadPlan(f"At least one table at once, and at most {MOST_AT_ONCE}.")
    if not plan.size * plan.divisions <= plan.players <= LARGEST_DIVISION * plan.divisions:
        raise BadPlan("Each division has the players of a table at least, and 120 at most.")
