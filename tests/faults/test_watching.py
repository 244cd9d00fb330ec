"""Each part of a running site that stops is seen at /readyz, and so is its return."""

import pytest

from tests.faults.site import Site
from tests.faults.watching import PARTS, stopped

pytestmark = [pytest.mark.once]


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_stops_and_returns_is_seen(site: Site, part: str) -> None:
    counts = stopped(site, part, 0)
    assert counts.problems == [], counts.row() + site.logs()
