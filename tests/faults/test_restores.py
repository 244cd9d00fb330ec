"""A restored site asks only what is open there, and no deadline has run out since the backup."""

import pytest

from tests.faults import restores

pytestmark = [pytest.mark.once]


@pytest.mark.long
def test_a_site_restored_hours_later_elsewhere_goes_on(site: object) -> None:
    """`site` shows only that there are servers here."""
    counts = restores.three_hours_later(3, 4)
    assert counts.problems == [], counts.row()
