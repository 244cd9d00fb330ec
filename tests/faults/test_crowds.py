"""An outage of two thousand games, and five hundred deadlines at once.

`python -m tests.faults --only long-outage many-deadlines --running 10000 --due 2000` does it at a large site.
tests/clocks/test_many_games_at_once.py looks at the same promises in a few games, and without a clock.
"""

import random

import pytest

from tests.faults import crowds
from tests.faults.site import Site

pytestmark = [pytest.mark.long, pytest.mark.once]


def test_no_move_waits_for_an_outage_that_is_given_back(site: Site) -> None:
    counts = crowds.long_outage(site, 2_000, random.Random(1))
    assert counts.problems == [], counts.row() + site.logs()


def test_emails_go_out_while_many_deadlines_are_enforced(site: Site) -> None:
    counts = crowds.many_deadlines(site, 2_000, 500)
    assert counts.problems == [], counts.row() + site.logs()
