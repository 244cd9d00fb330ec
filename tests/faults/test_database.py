"""PostgreSQL is killed under moves and emails: nothing is half written, and all parts recover."""

import random

import pytest

from tests.faults import database
from tests.faults.site import Site

pytestmark = [pytest.mark.once]


@pytest.mark.long
def test_moves_and_emails_survive_the_death_of_the_database_and_of_one_connection(site: Site) -> None:
    for counts in (
        database.killed(site, 1, 2, random.Random(1)),
        database.backend_killed(site, 1, random.Random(2)),
    ):
        assert counts.problems == [], counts.row() + site.logs()
