"""Run whole games of simulated people in several processes, by the site's own services, emails and clocks.

No process touches the site's database: each has its own in a temporary folder.
"""

import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from tests.simulation.games.processes import own_environment
from tests.simulation.games.report import Figures
from tests.simulation.games.world import Plan

ROOT = Path(__file__).resolve().parents[3]

Clubs = list[tuple[int, int]]


class SimulationFailed(Exception):
    """A process of the simulation stopped with an error."""


def simulated(plan: Plan, games: int, processes: int) -> Figures:
    """Return the figures of this many games, played in this many processes at once."""
    clubs = list(plan.clubs(games))
    shares = [share for number in range(processes) if (share := clubs[number::processes])]
    with tempfile.TemporaryDirectory(prefix="condottiere-") as folder:
        running = [_started(plan, share, Path(folder) / str(number)) for number, share in enumerate(shares)]
        figures = Figures()
        for process in running:
            figures.add(_figures_of(process))
    return figures


def _started(plan: Plan, clubs: Clubs, state: Path) -> "subprocess.Popen[str]":
    told = json.dumps({"plan": asdict(plan), "clubs": clubs})
    return subprocess.Popen(
        [sys.executable, "-m", "tests.simulation.games", told],
        cwd=ROOT,
        env=own_environment(state),
        stdout=subprocess.PIPE,
        text=True,
    )


def _figures_of(process: "subprocess.Popen[str]") -> Figures:
    told, _errors = process.communicate()
    if process.returncode:
        raise SimulationFailed("A process of the simulation stopped with an error.")
    return Figures.from_json(json.loads(told.splitlines()[-1]))
