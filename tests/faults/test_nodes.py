"""Two worker nodes: both work, one is killed, and two beats wake them."""

import pytest

from tests.faults import nodes
from tests.faults.site import Site

pytestmark = [pytest.mark.long, pytest.mark.once]


def test_two_nodes_enforce_each_deadline_once(site: Site) -> None:
    counts = nodes.deadlines(site, 150, 100)
    assert counts.problems == [], counts.row() + site.logs()


def test_a_node_killed_in_the_middle_of_a_move_costs_no_move_and_doubles_none(site: Site) -> None:
    counts = nodes.killed(site, 200, 150)
    assert counts.problems == [], counts.row() + site.logs()


def test_two_beats_enforce_each_deadline_once(site: Site) -> None:
    counts = nodes.two_beats(site, 60, 40)
    assert counts.problems == [], counts.row() + site.logs()
