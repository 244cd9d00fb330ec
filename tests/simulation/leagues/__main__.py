"""The process of simulated seasons: `python -m tests.simulation.leagues PLANS`, started by
`python -m tests.simulation --league`.

Has a database of its own, which it makes in STATE_DIR; refuses any other. Each season begins in an empty one.
The exit status is 1 if a check fails.
"""

import json
import logging
import os
import sys
import time
from dataclasses import replace

import django

from tests.simulation.games.processes import copied, open_database, require_own_database


def main(plans_text: str) -> None:
    """Simulate the seasons one after the other and print their reports."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "condottiere_site.settings")
    django.setup()
    from django.core.management import call_command

    from tests.simulation.games.people import Levers
    from tests.simulation.leagues.calendar import Calendar, calendar_of
    from tests.simulation.leagues.habits import Plan
    from tests.simulation.leagues.report import printed
    from tests.simulation.leagues.world import World

    logging.disable(logging.WARNING)
    require_own_database()
    call_command("migrate", verbosity=0)
    empty, failed = copied(open_database()), 0
    together: dict[Plan, Calendar] = {}  # of the seasons that differ by their seeds alone
    for told in json.loads(plans_text):
        plan = Plan(**{**told, "levers": Levers(**told["levers"])})
        empty.backup(open_database())
        begun, world = time.process_time(), World(plan)
        world.live()
        calendar = calendar_of(world.season)
        for line in printed(plan, world.season, calendar, world.problems):
            sys.stdout.write(f"{line}\n")
        sys.stdout.write(f"{time.process_time() - begun:.0f} s of processor time\n\n")
        failed += len(world.problems)
        together.setdefault(replace(plan, seed=0), Calendar(seasons=0)).add(calendar)
    for plan, calendar in together.items():
        if calendar.seasons > 1:
            sys.stdout.write("\n  ".join([f"{calendar.seasons} seasons: {plan}", *calendar.printed()]) + "\n")
    if failed:
        sys.stdout.write(f"{failed} checks failed.\n")
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
