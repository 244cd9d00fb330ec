"""Web processes are killed while people play: no answered move is lost or doubled."""

import random

import pytest

from tests.faults import web
from tests.faults.site import Site

pytestmark = [pytest.mark.once]


@pytest.mark.long
def test_a_move_that_was_answered_is_there_exactly_once_no_matter_what_died(site: Site) -> None:
    counts = web.killed(site, 4, 3, random.Random(1))
    assert counts.problems == [], counts.row() + site.logs(["web"])


@pytest.mark.long
def test_a_chain_of_standing_orders_is_played_as_a_whole_or_not_at_all(site: Site) -> None:
    counts = web.killed_in_chains(site, 4, 3, random.Random(1))
    assert counts.problems == [], counts.row() + site.logs(["web"])
