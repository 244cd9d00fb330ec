"""Redis fails in each of its ways: posts do not notice, and letters go out soon after its return."""

import random

import pytest

from tests.faults import broker
from tests.faults.site import Site

pytestmark = [pytest.mark.once, pytest.mark.timeout(150)]


@pytest.mark.parametrize(
    "fault", [broker.down, broker.hanging, broker.flushed], ids=lambda fault: fault.__name__
)
def test_posts_are_answered_as_before_and_letters_are_caught_up(site: Site, fault: object) -> None:
    counts = fault(site, 6, random.Random(1))  # type: ignore[operator]
    assert counts.problems == [], counts.row() + site.logs()
