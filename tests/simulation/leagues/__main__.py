"""The process of a simulated season: `python -m tests.simulation.leagues PLAN`, started by
`python -m tests.simulation --league`.

Has a database of its own, which it makes in STATE_DIR; refuses any other. The exit status is 1 if a check
fails.
"""

import gc
import json
import logging
import os
import sys
import time

import django

from tests.simulation.games.processes import open_database, require_own_database


def main(plan_text: str) -> None:
    """Simulate one season and print its report."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "condottiere_site.settings")
    django.setup()
    from django.core.management import call_command

    from tests.simulation.leagues.habits import Plan
    from tests.simulation.leagues.report import printed
    from tests.simulation.leagues.world import World

    logging.disable(logging.WARNING)
    gc.disable()  # it lives for a minute or two
    require_own_database()
    begun = time.process_time()
    call_command("migrate", verbosity=0)
    open_database()
    world = World(Plan(**json.loads(plan_text)))
    world.live()
    for line in printed(world.league, world.delivered, world.problems):
        sys.stdout.write(f"{line}\n")
    sys.stdout.write(f"{time.process_time() - begun:.0f} s of processor time\n")
    if world.problems:
        sys.stdout.write(f"{len(world.problems)} checks failed.\n")
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
