"""One process of a simulation: `python -m tests.simulation.games PLAN`, started by `tests.simulation`.

Has a database of its own, which it makes in STATE_DIR; refuses any other. Prints its figures as JSON.
"""

import json
import logging
import os
import sys
import time

import django

from tests.simulation.games.processes import copied, open_database, require_own_database


def main(plan_text: str) -> None:
    """Lives through this process's clubs, one after the other, each in a fresh database."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "condottiere_site.settings")
    django.setup()
    from django.core.management import call_command

    from tests.simulation.games.people import Levers
    from tests.simulation.games.report import Figures
    from tests.simulation.games.world import Club, Plan

    logging.disable(logging.WARNING)  # refused emails are meant to be
    told = json.loads(plan_text)
    levers = Levers(**told["plan"].pop("levers", {}))
    plan = Plan(**told["plan"], levers=levers)
    begun = time.process_time()
    require_own_database()
    call_command("migrate", verbosity=0)
    empty = copied(open_database())
    figures = Figures()
    for number, tables in told["clubs"]:
        empty.backup(open_database())
        figures.add(Club(plan, number, tables).lived())
    figures.processor = time.process_time() - begun
    sys.stdout.write(json.dumps(figures.as_json()) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
