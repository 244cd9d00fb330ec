"""PostgreSQL is killed under moves and emails, or away at the start: nothing is half done, all recover."""

import random

import pytest

from tests.faults import database
from tests.faults.site import Site
from tests.servers import wait_until

pytestmark = [pytest.mark.once]


@pytest.mark.long
def test_moves_and_emails_survive_the_death_of_the_database_and_of_one_connection(site: Site) -> None:
    for counts in (
        database.killed(site, 1, 2, random.Random(1)),
        database.backend_killed(site, 1, random.Random(2)),
    ):
        assert counts.problems == [], counts.row() + site.logs()


@pytest.mark.long
def test_parts_that_start_while_the_database_is_away_serve_once_it_is_back(site: Site) -> None:
    site.hang_up()
    site.database.kill()
    site.start_missing("worker", "beat", "web")
    site.start_lmtp()
    parts = [site.processes_named(name) for name in ("worker", "beat", "web", "lmtp")]
    site.wait_page("/healthz")
    wait_until(lambda: all("could not be checked" in part.log.read_text() for part in parts), "a look")
    site.database.start()
    site.wait_page()
    site.queue_greetings(3)
    site.wait_all_out()
    assert all(part.is_running for part in parts), site.logs()
