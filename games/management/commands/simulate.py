"""`manage.py simulate`: whole games of simulated people, by the site's own commands, letters and clocks.

Never touches the site's own database: every process it starts has one of its own in a temporary folder.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from games.clock import PACES
from games.models import MAX_SEATS, MIN_SEATS
from games.simulation.processes import own_environment
from games.simulation.report import Figures, printed
from games.simulation.world import Plan

Clubs = list[tuple[int, int]]


class Command(BaseCommand):
    """Prints what was assumed and what was found."""

    help = "Plays whole games of simulated people in databases of its own, and checks what the site promises."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How much is simulated. The same seed gives the same games, in however many processes."""
        parser.add_argument("--games", type=int, default=40, help="how many games (40)")
        parser.add_argument("--players", type=int, default=4, help=f"seats, {MIN_SEATS} to {MAX_SEATS} (4)")
        parser.add_argument("--pace", choices=[*PACES], default="day", help="time for each question (day)")
        parser.add_argument("--seed", type=int, default=1, help="of all that is drawn by lot (1)")
        parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="one for each core")

    def handle(self, *, games: int, players: int, pace: str, seed: int, processes: int, **_: Any) -> None:
        """The exit status is 1 if a check fails."""
        if games < 1 or processes < 1 or not MIN_SEATS <= players <= MAX_SEATS:
            raise CommandError(f"At least one game and process, and {MIN_SEATS} to {MAX_SEATS} players.")
        begun = time.monotonic()
        figures = simulated(Plan(players=players, pace=pace, seed=seed), games, processes)
        for line in printed(figures, pace, players, time.monotonic() - begun):
            self.stdout.write(line)
        if figures.problems:
            self.stdout.write(f"{len(figures.problems)} checks failed.")
            sys.exit(1)


def simulated(plan: Plan, games: int, processes: int) -> Figures:
    """The figures of so many games, played in so many processes at once."""
    clubs = [
        (number, min(plan.club, games - first)) for number, first in enumerate(range(0, games, plan.club))
    ]
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
        [sys.executable, "-m", "games.simulation", told],
        cwd=settings.BASE_DIR,
        env=own_environment(state),
        stdout=subprocess.PIPE,
        text=True,
    )


def _figures_of(process: "subprocess.Popen[str]") -> Figures:
    told, _errors = process.communicate()
    if process.returncode:
        raise CommandError("A process of the simulation stopped with an error.")
    return Figures.from_json(json.loads(told.splitlines()[-1]))
