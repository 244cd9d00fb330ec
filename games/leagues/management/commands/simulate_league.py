"""`manage.py simulate_league`: a season of simulated people, by the site's own commands, letters and clocks.

Never touches the site's own database: the process it starts has one of its own in a temporary folder.
"""

import json
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from games.leagues.models import LARGEST_DIVISION, MOST_DIVISIONS, MOST_ROUNDS
from games.leagues.simulation.habits import Plan
from games.models import MAX_SEATS
from games.simulation.processes import own_environment

LEAST_SEATS = 3


class Command(BaseCommand):
    """Prints the standings, who goes up and down, figures, and what was checked."""

    help = "Lives through a season of simulated people in a database of its own, and checks its promises."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What season. The same seed gives the same one."""
        usual = Plan()
        parser.add_argument("--players", type=int, default=usual.players, help="places in the season (60)")
        parser.add_argument("--divisions", type=int, default=usual.divisions, help="divisions (3)")
        parser.add_argument("--rounds", type=int, default=usual.rounds, help=f"rounds ({usual.rounds})")
        parser.add_argument("--size", type=int, default=usual.size, help="seats at a table, 3 to 6 (4)")
        parser.add_argument("--seed", type=int, default=usual.seed, help="of all that is drawn by lot (1)")
        parser.add_argument("--keep", action="store_true", help="leave the database where it is, to look at")

    def handle(self, *, keep: bool, **options: Any) -> None:
        """The exit status is 1 if a check fails."""
        plan = _plan(options)
        begun = time.monotonic()
        with ExitStack() as stack:
            folder = tempfile.mkdtemp(prefix="condottiere-") if keep else _passing_folder(stack)
            failed = self._run(plan, Path(folder))
        if keep:
            self.stdout.write(f"The database is in {folder}.")
        self.stdout.write(f"{time.monotonic() - begun:.0f} s")
        if failed:
            sys.exit(1)

    def _run(self, plan: Plan, folder: Path) -> bool:
        command = [sys.executable, "-m", "games.leagues.simulation", json.dumps(asdict(plan))]
        environment = own_environment(folder) | {"PYTHONUNBUFFERED": "1"}
        process = subprocess.Popen(
            command, cwd=settings.BASE_DIR, env=environment, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        for line in process.stdout:
            self.stdout.write(line.rstrip("\n"))
        return process.wait() != 0


def _passing_folder(stack: ExitStack) -> str:
    return stack.enter_context(tempfile.TemporaryDirectory(prefix="condottiere-"))


def _plan(options: dict[str, Any]) -> Plan:
    """Raises CommandError for a season that no league could plan."""
    plan = Plan(**{name: options[name] for name in asdict(Plan())})
    if not LEAST_SEATS <= plan.size <= MAX_SEATS:
        raise CommandError(f"A table has {LEAST_SEATS} to {MAX_SEATS} seats.")
    if not 1 <= plan.rounds <= MOST_ROUNDS or not 1 <= plan.divisions <= MOST_DIVISIONS:
        raise CommandError(f"At most {MOST_ROUNDS} rounds and {MOST_DIVISIONS} divisions, and at least one.")
    if not plan.size * plan.divisions <= plan.players <= LARGEST_DIVISION * plan.divisions:
        raise CommandError("Each division has the players of a table at least, and 120 at most.")
    return plan
